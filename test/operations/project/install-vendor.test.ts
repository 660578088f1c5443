import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards, vendorCards } from "../../../src/operations/project/install.ts";
import { packedCard, readTree } from "../../support/cards.ts";
import { testHost } from "../../support/host.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { cloneOf, newProject, publish } from "../../support/projects.ts";
import { committedFiles, emptyRepository } from "../../support/repositories.ts";

const WRITE = { dryRun: false };

async function vendoredProject() {
  const host = newProject();
  const repository = emptyRepository();
  repository.commit(committedFiles({ name: "@me/from-git", hooks: { guard: {} } }), "v1.0.0");
  await publish(host, { hooks: { guard: {} } });
  await addCards(host, ["@me/backend", `git+file://${repository.folder}`]);
  await vendorCards(host, WRITE);
  fs.rmSync(repository.folder, { recursive: true });
  fs.mkdirSync(repository.folder);
  return host;
}

const FILE = ".agents/drwn/vendor/@me/backend/1.0.0.tgz";

describe("a vendored project", () => {
  test("installs with --frozen in a fresh home where no registry has its cards", async () => {
    const clone = testHost({ cwd: cloneOf(await vendoredProject()) });
    expect(await installCards(clone, { frozen: true })).toEqual({
      cards: [
        { name: "@me/backend", version: "1.0.0", fetched: true, deprecated: null },
        { name: "@me/from-git", version: "1.0.0", fetched: true, deprecated: null },
      ],
      lockChanged: false,
    });
  });

  test("keeps what is right, and loses what is not locked any more", async () => {
    const host = await vendoredProject();
    const before = readTree(path.join(host.cwd, ".agents/drwn/vendor"));
    fs.writeFileSync(path.join(host.cwd, ".agents/drwn/vendor/left.tgz"), "over");
    expect(await vendorCards(host, { dryRun: true })).toMatchObject({ written: [], unchanged: 2, dryRun: true });
    const vendored = await vendorCards(host, WRITE);
    expect(vendored.removed).toEqual([path.join(host.cwd, ".agents/drwn/vendor/left.tgz")]);
    expect(readTree(path.join(host.cwd, ".agents/drwn/vendor"))).toEqual(before);
  });

  test("writes nothing in a dry run", async () => {
    const host = newProject();
    await publish(host, {});
    await addCards(host, ["@me/backend"]);
    const { written } = await vendorCards(host, { dryRun: true });
    expect(written).toEqual([path.join(host.cwd, FILE)]);
    expect(fs.existsSync(path.join(host.cwd, FILE))).toBe(false);
  });

  test("whose tarball was replaced is refused with both digests, and nothing is taken from elsewhere instead", async () => {
    const host = await vendoredProject();
    const evil = await packedCard({ files: { "README.md": "evil" } });
    const clone = testHost({ cwd: cloneOf(host) });
    fs.writeFileSync(path.join(clone.cwd, FILE), evil.tarball);
    const problem = await problemOf(() => installCards(clone, { frozen: true }));
    expect(problem.code).toBe("DRWN_INTEGRITY_MISMATCH");
    expect(textOf(problem)).toContain(evil.tree);
    expect(textOf(problem)).toContain((await packedCard({ hooks: { guard: {} } })).tree);
  });

  test.each([
    ["cut short", (bytes: Buffer) => bytes.subarray(0, 100)],
    ["empty", () => Buffer.alloc(0)],
    ["no archive", () => Buffer.from("<html>")],
  ])("whose tarball is %s is refused, and vendored anew", async (_, spoil) => {
    const host = await vendoredProject();
    const clone = testHost({ cwd: cloneOf(host) });
    const file = path.join(clone.cwd, FILE);
    fs.writeFileSync(file, spoil(fs.readFileSync(file)));
    expect((await problemOf(() => installCards(clone, { frozen: true }))).code).toBe("DRWN_TARBALL_INVALID");
    fs.writeFileSync(path.join(host.cwd, FILE), spoil(fs.readFileSync(path.join(host.cwd, FILE))));
    expect((await vendorCards(host, WRITE)).written).toEqual([path.join(host.cwd, FILE)]);
  });
});

test("a card that is neither vendored nor in its registry says both, and who can help", async () => {
  const host = newProject();
  await publish(host, {});
  await addCards(host, ["@me/backend"]);
  const problem = await problemOf(async () => installCards(testHost({ cwd: cloneOf(host) }), { frozen: true }));
  expect(problem.code).toBe("DRWN_CARD_UNAVAILABLE");
  expect(textOf(problem)).toContain(FILE);
  expect(textOf(problem)).toContain("folder:default does not have @me/backend@1.0.0");
  expect(problem.hint).toContain("drwn install --vendor");
});
