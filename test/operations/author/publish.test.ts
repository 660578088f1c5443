import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readManifest } from "../../../src/card/source/source.ts";
import CardShow from "../../../src/cli/commands/card/show.ts";
import SourceSet from "../../../src/cli/commands/card/source/set.ts";
import { layout } from "../../../src/contract/layout.ts";
import { deprecateCard, yankCard } from "../../../src/operations/author/annotate.ts";
import { listPublished, showCard } from "../../../src/operations/author/show-card.ts";
import { trustKey } from "../../../src/operations/machine/keys.ts";
import { searchCards } from "../../../src/operations/machine/search.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { packedCard, readTree, sourceWith } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { type TestHost, testHost } from "../../support/host.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { installed, lockedVersions, newSigner, projectWith, publish } from "../../support/projects.ts";

const NAME = "@me/backend";

describe("deprecate", () => {
  test("is about every version without a range, and about those in the range otherwise", async () => {
    const host = await projectWith({}, { version: "1.1.0" }, { version: "2.0.0-rc.1" });
    expect((await deprecateCard(host, NAME, "old")).versions).toEqual(["1.0.0", "1.1.0", "2.0.0-rc.1"]);
    expect((await deprecateCard(host, `${NAME}@<1.1.0`, null)).versions).toEqual(["1.0.0"]);
    expect((await addCards(host, [`${NAME}@1.0.0`])).cards).toMatchObject([{ deprecated: null }]);
    expect((await addCards(host, [`${NAME}@1.1.0`])).cards).toMatchObject([{ deprecated: "old" }]);
  });

  test.each([
    ["@me/none", "DRWN_CARD_NOT_FOUND"],
    [`${NAME}@^3.0.0`, "DRWN_VERSION_NOT_FOUND"],
    ["backend", "DRWN_SPEC_INVALID"],
  ])("says that there is no %s", async (spec, code) => {
    const host = await projectWith({});
    expect((await problemOf(() => deprecateCard(host, spec, "old"))).code).toBe(code);
  });
});

describe("yank", () => {
  test("takes a version out of what is latest, and the list says which ones are yanked", async () => {
    const host = await projectWith({}, { version: "1.1.0" }, { name: "@me/other" });
    await yankCard(host, `${NAME}@1.1.0`, true);
    await yankCard(host, "@me/other@1.0.0", true);
    expect(await listPublished(host)).toEqual([
      { name: NAME, latest: "1.0.0", versions: ["1.0.0", "1.1.0"], yanked: ["1.1.0"] },
      { name: "@me/other", latest: null, versions: ["1.0.0"], yanked: ["1.0.0"] },
    ]);
    const { stdout } = await runCommand(host, CardShow);
    expect(stdout).toMatch(/^@me\/backend {2}1\.0\.0 {3}1\.0\.0, 1\.1\.0 \(yanked\)$/mu);
    expect(stdout).toMatch(/^@me\/other {4}none {4}1\.0\.0 \(yanked\)$/mu);
    expect(stdout).not.toContain("source");
  });

  test("keeps a version from who has not locked it, and not from who has", async () => {
    const host = await installed({});
    expect((await yankCard(host, `${NAME}@1.0.0`, true)).versions).toEqual(["1.0.0"]);
    const other = host.at(fs.mkdtempSync(path.join(host.home, "project-")));
    fs.cpSync(path.join(host.cwd, ".agents"), path.join(other.cwd, ".agents"), { recursive: true });
    fs.renameSync(layout.store(host.drwnHome), path.join(host.home, "moved"));
    await installCards(other, { frozen: true });
    expect(lockedVersions(other)).toEqual([`${NAME}@1.0.0`]);
    expect((await problemOf(() => addCards(other, [NAME]))).code).toBe("DRWN_VERSION_NOT_FOUND");
    await yankCard(host, `${NAME}@1.0.0`, false);
    await addCards(other, [NAME]);
  });

  test("has to be told which versions, with the command to paste", async () => {
    const problem = await problemOf(async () => yankCard(await projectWith({}), NAME, true));
    expect(problem).toMatchObject({ code: "DRWN_SPEC_INVALID", hint: `drwn card yank ${NAME}@<version>` });
  });
});

test("search answers with the registry's cards", async () => {
  const host = await projectWith({ manifest: { description: "Guards git" } }, { name: "@me/other" });
  expect(await searchCards(host, { text: "GIT guards", registry: null })).toEqual({
    registry: "folder:default",
    cards: [{ name: NAME, version: "1.0.0", description: "Guards git" }],
    own: 0,
    others: [],
  });
});

describe("version", () => {
  test.each([
    ["1.2.3", "patch", "1.2.4"],
    ["1.2.3", "minor", "1.3.0"],
    ["1.2.3", "major", "2.0.0"],
    ["2.0.0-rc.1", "major", "2.0.0"],
    ["1.2.3", "1.1.9", "1.1.9"],
    ["1.2.3", "2.0.0-rc.1", "2.0.0-rc.1"],
    ["1.2.3", "1.2.3", "1.2.3"],
  ])("goes from %s by %s to %s", async (from, step, to) => {
    const source = sourceWith({ manifest: { version: from } });
    const words = [source, "--version", step];
    await runCommand(testHost(), SourceSet, ...words, "--dry-run");
    expect(readManifest(source).version).toBe(from);
    await runCommand(testHost(), SourceSet, ...words);
    expect(readManifest(source).version).toBe(to);
  });

  test.each(["v1.0.0", "1.0", "1.0.0+build", "next", ""])("refuses %j", async (version) => {
    const source = sourceWith();
    const before = readTree(source);
    const { exitCode } = await runCommand(testHost(), SourceSet, source, "--version", version);
    expect(exitCode).toBe(1);
    expect(readTree(source)).toEqual(before);
  });
});

describe("show", () => {
  test("keeps nothing, and says where the signature isn't by a key that this machine knows", async () => {
    const host = await projectWith();
    const { key, rotations } = newSigner();
    const card = await publish(host, { hooks: { guard: {} } }, { key, rotations });
    const before = readTree(host.home);
    const shown = { version: "1.0.0", tree: card.tree, publisher: key.publisher };
    expect(await showCard(host, NAME)).toMatchObject({ ...shown, refusal: null });
    expect(readTree(host.home)).toEqual(before);
    await trustKey(host, { key: newSigner().key.publisher, for: "@me" });
    expect((await showCard(host, NAME)).refusal).toContain("is not signed with the key");
    expect((await runCommand(host, CardShow, NAME)).exitCode).toBe(3);
  });

  const SPOILS: [string, (host: TestHost) => Promise<void> | void, string][] = [
    [
      "the tarball has other bytes",
      (host) => fs.appendFileSync(onlyFile(registryOf(host), ".tgz"), "x"),
      "DRWN_INTEGRITY_MISMATCH",
    ],
    [
      "the record names another tree",
      (host) => editRecord(host, { tree: `drwn1-sha512-${"A".repeat(86)}` }),
      "DRWN_INTEGRITY_MISMATCH",
    ],
    ["the record names other hooks", (host) => editRecord(host, { hooks: [] }), "DRWN_REGISTRY_INVALID"],
    [
      "the record names another publisher",
      (host) => editRecord(host, { publisher: newSigner().key.publisher }),
      "DRWN_SIGNATURE_INVALID",
    ],
  ];

  test.each(SPOILS)("stops when %s", async (_, spoil, code) => {
    const host = await installed({ hooks: { guard: {} } });
    await showCard(host, NAME);
    await spoil(host);
    expect((await problemOf(() => showCard(host, NAME))).code).toBe(code);
  });

  test("stops at an index that is not about the card's files, and loads nothing of it", async () => {
    const host = await projectWith();
    const marker = path.join(host.home, "loaded");
    const policy = `import fs from "node:fs";\nfs.writeFileSync(${JSON.stringify(marker)}, "");\nexport default {};`;
    const registry = registryOf(host);
    const { index } = await publish(host, { hooks: { guard: {} } });
    // The index of the harmless card, over the files of another one.
    const files = { "hooks/guard/policy.ts": policy, "hooks/index.json": JSON.stringify(index) };
    const card = await packedCard({ hooks: { guard: {} }, files });
    const content = Buffer.from(card.integrity.slice("sha512-".length), "base64").toString("hex");
    editRecord(host, { integrity: card.integrity, tree: card.tree });
    fs.writeFileSync(path.join(registry, "blobs", `${content}.tgz`), card.tarball);
    const problem = await problemOf(() => showCard(host, NAME));
    expect(problem.code).toBe("DRWN_INDEX_STALE");
    expect(textOf(problem)).toContain("guard");
    expect(fs.existsSync(marker)).toBe(false);
  });
});

function registryOf(host: TestHost): string {
  return layout.registry(host.drwnHome);
}

function editRecord(host: TestHost, fields: object): void {
  const file = path.join(registryOf(host), "cards", NAME, "1.0.0.json");
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), ...fields }));
}

function onlyFile(folder: string, end: string): string {
  const found = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(end));
  expect(found).toHaveLength(1);
  return path.join(folder, String(found[0]));
}
