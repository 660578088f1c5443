import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { readConfig } from "../../../src/project/config.ts";
import { readLock, writeLock } from "../../../src/project/lock.ts";
import { packedCard, temporaryFolder, writeTree } from "../../support/cards.ts";
import { testHost } from "../../support/host.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { cloneOf, newProject, publish } from "../../support/projects.ts";
import { committedFiles, emptyRepository } from "../../support/repositories.ts";

function lockedIn(root: string) {
  return readLock(root)?.cards ?? [];
}

describe("adding a card from git", () => {
  test("locks its commit, and install --frozen reproduces it in a fresh home after the tag has moved", async () => {
    const repository = emptyRepository();
    const commit = repository.commit(committedFiles({ hooks: { guard: {} } }), "v1.0.0");
    const spec = `git+file://${repository.folder}#semver:^1.0.0`;
    const host = newProject();
    expect((await addCards(host, [spec])).cards).toMatchObject([
      { name: "@me/backend", version: "1.0.0", range: spec },
    ]);
    expect(readConfig(host.cwd).cards).toEqual({ "@me/backend": spec });
    const [locked] = lockedIn(host.cwd);
    expect(locked).toMatchObject({ source: `git:file://${repository.folder}`, commit, version: "1.0.0" });
    repository.commit(committedFiles({ hooks: { guard: { matcher: "Read" } } }), "v1.0.0");
    const clone = testHost({ cwd: cloneOf(host) });
    expect((await installCards(clone, { frozen: true })).cards).toEqual([
      { name: "@me/backend", version: "1.0.0", fetched: true, deprecated: null },
    ]);
    expect(lockedIn(clone.cwd)).toEqual(lockedIn(host.cwd));
  });

  test("refuses a version whose tag was moved since it was locked, and names both commits", async () => {
    const repository = emptyRepository();
    const commit = repository.commit(committedFiles(), "v1.0.0");
    const spec = `@me/backend@git+file://${repository.folder}#v1.0.0`;
    const host = newProject();
    await addCards(host, [spec]);
    const moved = repository.commit(committedFiles({ files: { "README.md": "other" } }), "v1.0.0");
    const problem = await problemOf(() => addCards(host, [spec]));
    expect(problem.code).toBe("DRWN_VERSION_MOVED");
    expect(textOf(problem)).toContain(commit);
    expect(textOf(problem)).toContain(moved);
    expect(lockedIn(host.cwd)).toMatchObject([{ commit }]);
  });

  test("refuses a repository that holds another card than was named", async () => {
    const repository = emptyRepository();
    repository.commit(committedFiles());
    const host = newProject();
    const problem = await problemOf(() => addCards(host, [`@me/other@git+file://${repository.folder}`]));
    expect(problem.code).toBe("DRWN_REGISTRY_INVALID");
    expect(lockedIn(host.cwd)).toEqual([]);
  });
});

describe("adding a tarball or a folder", () => {
  test("by a path that is typed where the user is, and kept relative to the project", async () => {
    const card = await packedCard();
    const host = newProject();
    writeTree(host.cwd, { "cards/card.tgz": card.tarball, "deep/er/x": "" });
    await addCards({ ...host, cwd: path.join(host.cwd, "deep/er") }, ["../../cards/card.tgz"]);
    expect(readConfig(host.cwd).cards).toEqual({ "@me/backend": "file:./cards/card.tgz" });
    expect(lockedIn(host.cwd)).toMatchObject([{ source: "tarball:./cards/card.tgz", tree: card.tree }]);
    const clone = cloneOf(host);
    fs.cpSync(path.join(host.cwd, "cards"), path.join(clone, "cards"), { recursive: true });
    expect((await installCards(testHost({ cwd: clone }), { frozen: true })).cards).toHaveLength(1);
  });

  test("refuses a tarball that was replaced under its version", async () => {
    const host = newProject();
    const file = path.join(host.cwd, "card.tgz");
    fs.writeFileSync(file, (await packedCard()).tarball);
    await addCards(host, ["./card.tgz"]);
    const other = await packedCard({ files: { "README.md": "evil" } });
    fs.writeFileSync(file, other.tarball);
    expect((await problemOf(() => addCards(host, ["./card.tgz"]))).code).toBe("DRWN_VERSION_MOVED");
    const clone = cloneOf(host);
    fs.copyFileSync(file, path.join(clone, "card.tgz"));
    const problem = await problemOf(() => installCards(testHost({ cwd: clone }), { frozen: true }));
    expect(problem.code).toBe("DRWN_INTEGRITY_MISMATCH");
    expect(textOf(problem)).toContain(other.tree);
  });

  test("packs a folder from its committed index, which must be its own", async () => {
    const host = newProject();
    const folder = writeTree(temporaryFolder(), committedFiles({ hooks: { guard: {} } }));
    await addCards(host, [`file:${folder}`]);
    const { tree } = await packedCard({ hooks: { guard: {} } });
    expect(lockedIn(host.cwd)).toMatchObject([{ source: `file:${folder}`, tree }]);
    fs.appendFileSync(path.join(folder, "hooks/guard/policy.ts"), "// changed\n");
    expect((await problemOf(() => addCards(host, [`file:${folder}`]))).code).toBe("DRWN_INDEX_STALE");
  });
});

describe("a lock", () => {
  test("of a place of its own is not taken for the registry's version of the same number", async () => {
    const host = newProject();
    const registered = await publish(host, { files: { "README.md": "from the registry" } });
    fs.writeFileSync(path.join(host.cwd, "card.tgz"), (await packedCard()).tarball);
    await addCards(host, ["./card.tgz"]);
    const config = path.join(host.cwd, ".agents/drwn/config.json");
    fs.writeFileSync(config, fs.readFileSync(config, "utf8").replace("file:./card.tgz", "^1.0.0"));
    await installCards(host, { frozen: false });
    expect(lockedIn(host.cwd)).toMatchObject([{ source: "folder:default", tree: registered.tree }]);
  });

  test("needs no registry while the store is warm, and install does not change it", async () => {
    const host = newProject();
    const repository = emptyRepository();
    repository.commit(committedFiles(), "v1.0.0");
    await addCards(host, [`git+file://${repository.folder}`]);
    const before = fs.readFileSync(path.join(host.cwd, ".agents/drwn/card.lock"));
    repository.commit(committedFiles({ version: "1.0.1" }), "v1.0.1");
    fs.rmSync(repository.folder, { recursive: true });
    fs.mkdirSync(repository.folder);
    expect(await installCards(host, { frozen: false })).toMatchObject({ lockChanged: false });
    expect(fs.readFileSync(path.join(host.cwd, ".agents/drwn/card.lock")).equals(before)).toBe(true);
  });

  test("that names another registry than this machine has for the scope is not followed there", async () => {
    const host = newProject();
    await publish(host, {});
    await addCards(host, ["@me/backend"]);
    const clone = testHost({ cwd: cloneOf(host) });
    await publish(clone, { files: { "README.md": "somebody else's" } });
    const cards = lockedIn(clone.cwd).map((card) => ({ ...card, source: "npm:https://cards.example.com/" }));
    writeLock(clone.cwd, { lockfileVersion: 1, cards });
    const problem = await problemOf(() => installCards(clone, { frozen: true }));
    expect(problem.code).toBe("DRWN_CARD_UNAVAILABLE");
    expect(textOf(problem)).toContain("drwn registry add team https://cards.example.com/");
    expect(textOf(problem)).toContain("folder:default");
  });

  test("whose registry has other bytes under the version is refused with both digests", async () => {
    const host = newProject();
    const mine = await publish(host, {});
    await addCards(host, ["@me/backend"]);
    const clone = testHost({ cwd: cloneOf(host) });
    const theirs = await publish(clone, { files: { "README.md": "somebody else's" } });
    const problem = await problemOf(() => installCards(clone, { frozen: true }));
    expect(problem.code).toBe("DRWN_INTEGRITY_MISMATCH");
    expect(textOf(problem)).toContain(mine.integrity);
    expect(textOf(problem)).toContain(theirs.integrity);
  });
});
