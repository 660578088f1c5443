import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { packSigned, signPacked } from "../../../src/card/source/pack.ts";
import { showCard } from "../../../src/operations/author/show-card.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards, vendorCards } from "../../../src/operations/project/install.ts";
import { listOutdated } from "../../../src/operations/project/outdated.ts";
import { updateCards } from "../../../src/operations/project/update.ts";
import { readLock, vendoredFile } from "../../../src/project/lock.ts";
import { unpack } from "../../../src/registry/tarball-origin.ts";
import { packedCard, temporaryFolder } from "../../support/cards.ts";
import { testHost } from "../../support/host.ts";
import { problemOf } from "../../support/problems.ts";
import { cloneOf, newProject, newSigner, publish } from "../../support/projects.ts";
import { committedFiles, emptyRepository } from "../../support/repositories.ts";

const NAME = "@me/backend";
const GUARD = { hooks: { guard: {} } };
const ALL = { names: [], latest: false, dryRun: false };

async function signedProject() {
  const host = newProject();
  const signer = newSigner();
  await publish(host, GUARD, signer);
  await addCards(host, [NAME]);
  return { host, signer };
}

describe("a signed card that is vendored", () => {
  test("comes back in a fresh home with its signature", async () => {
    const { host, signer } = await signedProject();
    await vendorCards(host, { dryRun: false });
    expect(await vendorCards(host, { dryRun: true })).toMatchObject({ written: [], unchanged: 1 });
    const clone = testHost({ cwd: cloneOf(host) });
    expect((await installCards(clone, { frozen: true })).cards).toMatchObject([{ name: NAME, fetched: true }]);
    expect(readLock(clone.cwd)?.cards).toMatchObject([{ publisher: signer.key.publisher }]);
  });

  test("is refused when its signature was taken out", async () => {
    const { host } = await signedProject();
    await vendorCards(host, { dryRun: false });
    const clone = testHost({ cwd: cloneOf(host) });
    const file = vendoredFile(clone.cwd, { name: NAME, version: "1.0.0" });
    const { files } = await unpack(fs.readFileSync(file));
    fs.writeFileSync(file, await packSigned(files, null));
    expect((await problemOf(() => installCards(clone, { frozen: true }))).code).toBe("DRWN_SIGNATURE_FOREIGN");
  });
});

describe("a card from a place of its own", () => {
  test("is refused unsigned where the card's publisher signs, and nothing is changed", async () => {
    const { host } = await signedProject();
    const before = readLock(host.cwd);
    const repository = emptyRepository();
    repository.commit(committedFiles({ ...GUARD, version: "1.0.1" }), "v1.0.1");
    const problem = await problemOf(() => addCards(host, [`${NAME}@git+file://${repository.folder}`]));
    expect(problem.code).toBe("DRWN_SIGNATURE_MISSING");
    expect(readLock(host.cwd)).toEqual(before);
  });

  test("has its publisher locked when it is a signed tarball, and is restored with the same one only", async () => {
    const host = newProject();
    const card = await packedCard(GUARD);
    const signer = newSigner();
    const file = path.join(temporaryFolder(), "card.tgz");
    const { tarball, publisher } = await signPacked(card, signer);
    fs.writeFileSync(file, tarball);
    await addCards(host, [`file:${file}`]);
    expect(readLock(host.cwd)?.cards).toMatchObject([{ name: NAME, publisher }]);
    const clone = testHost({ cwd: cloneOf(host) });
    await installCards(clone, { frozen: true });
    expect((await showCard(clone, `file:${file}`)).publisher).toBe(publisher);
    fs.writeFileSync(file, (await signPacked(card, newSigner())).tarball);
    const other = testHost({ cwd: cloneOf(host) });
    expect((await problemOf(() => installCards(other, { frozen: true }))).code).toBe("DRWN_SIGNATURE_FOREIGN");
  });

  test("is followed by update and outdated where it comes from, inside the range of its request", async () => {
    const host = newProject();
    const repository = emptyRepository();
    repository.commit(committedFiles(GUARD), "v1.0.0");
    const range = `git+file://${repository.folder}#semver:^1.0.0`;
    await addCards(host, [range]);
    expect((await listOutdated(host)).cards).toEqual([]);
    const commit = repository.commit(committedFiles({ ...GUARD, version: "1.1.0" }), "v1.1.0");
    repository.commit(committedFiles({ ...GUARD, version: "2.0.0" }), "v2.0.0");
    expect((await listOutdated(host)).cards).toMatchObject([{ installed: "1.0.0", wanted: "1.1.0", latest: "1.1.0" }]);
    expect((await updateCards(host, { ...ALL, latest: true })).cards).toMatchObject([
      { before: "1.0.0", version: "1.1.0", range, rangeBefore: range, changed: true },
    ]);
    expect(readLock(host.cwd)?.cards).toMatchObject([{ version: "1.1.0", commit, range }]);
    await installCards(host, { frozen: true });
    expect((await updateCards(host, ALL)).cards).toMatchObject([{ version: "1.1.0", changed: false }]);
  });
});
