import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { pruneStore, verifyStore } from "../../../src/operations/machine/store.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { initProject } from "../../../src/operations/project/init.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { removeCard, revokeConsent } from "../../../src/operations/project/remove.ts";
import { readLock } from "../../../src/project/lock.ts";
import { isStored } from "../../../src/registry/store.ts";
import { readTree } from "../../support/cards.ts";
import type { TestHost } from "../../support/host.ts";
import { problemOf } from "../../support/problems.ts";
import { installed, newSigner, publish, trust } from "../../support/projects.ts";

const NAME = "@me/backend";
const GUARD = { hooks: { guard: {} } };
const PRUNE = { dryRun: false };

function treeOf(host: TestHost, name = NAME): string {
  return readLock(host.cwd)?.cards.find((card) => card.name === name)?.tree ?? "";
}

/** Nothing in the store is young any more. */
function age(host: TestHost): void {
  const store = layout.store(host.drwnHome);
  const before = new Date(host.now().getTime() - 2 * 60 * 60 * 1000);
  for (const tree of fs.readdirSync(store)) fs.utimesSync(path.join(store, tree), before, before);
}

function newProject(host: TestHost, folder: string): TestHost {
  const root = path.join(path.dirname(host.cwd), folder);
  fs.mkdirSync(root);
  const project = host.at(root);
  initProject(project);
  return project;
}

describe("prune", () => {
  test("removes what nothing names, with its signatures, and says how much that was", async () => {
    const host = await installed({});
    await publish(host, { name: "@me/signed" }, newSigner());
    await addCards(host, ["@me/signed"]);
    const gone = treeOf(host, "@me/signed");
    await removeCard(host, "@me/signed");
    age(host);
    const preview = pruneStore(host, { dryRun: true });
    expect(preview).toMatchObject({ dryRun: true, removed: [gone], kept: 1 });
    expect(isStored(host.drwnHome, gone)).toBe(true);
    expect(pruneStore(host, PRUNE)).toEqual({ ...preview, dryRun: false });
    expect(preview.bytes).toBeGreaterThan(0);
    expect(isStored(host.drwnHome, gone)).toBe(false);
    expect(fs.existsSync(layout.signatures(host.drwnHome, gone))).toBe(false);
    expect(isStored(host.drwnHome, treeOf(host))).toBe(true);
  });

  test("keeps every version that a consent names, revoked or not, in whatever project", async () => {
    const host = await installed(GUARD);
    await trust(host);
    const approved = treeOf(host);
    await publish(host, { ...GUARD, version: "1.0.1" });
    await addCards(host, [NAME]);
    await trust(host);
    await revokeConsent(host, NAME);
    fs.rmSync(path.join(host.cwd, ".agents"), { recursive: true });
    age(host);
    const elsewhere = newProject(host, "elsewhere");
    expect(pruneStore(elsewhere, PRUNE)).toMatchObject({ removed: [], kept: 2 });
    expect(isStored(host.drwnHome, approved)).toBe(true);
  });

  test("keeps what the lock of another project names in which somebody consented", async () => {
    const host = await installed(GUARD, { name: "@me/plain" });
    await trust(host);
    age(host);
    expect(pruneStore(newProject(host, "elsewhere"), PRUNE)).toMatchObject({ removed: [], kept: 2 });
  });

  test("keeps what the lock of another worktree names", async () => {
    const host = await installed(GUARD);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: host.cwd, stdio: "ignore" });
    git("init");
    git("add", ".");
    git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-m", "x");
    await trust(host);
    const worktree = path.join(path.dirname(host.cwd), "worktree");
    git("worktree", "add", worktree);
    await publish(host, { name: "@me/plain" });
    const other = host.at(worktree);
    await addCards(other, ["@me/plain"]);
    age(host);
    expect(pruneStore(newProject(host, "elsewhere"), PRUNE)).toMatchObject({ removed: [], kept: 2 });
  });

  test("may remove what only the lock of a project without consents names, and install fetches it again", async () => {
    const host = await installed({});
    const tree = treeOf(host);
    age(host);
    expect(pruneStore(newProject(host, "elsewhere"), PRUNE).removed).toEqual([tree]);
    expect(await installCards(host, { frozen: true })).toMatchObject({ cards: [{ fetched: true }] });
    expect(isStored(host.drwnHome, tree)).toBe(true);
  });

  test("leaves alone what was stored, or stored again, within the last hour", async () => {
    const host = await installed({});
    await removeCard(host, NAME);
    expect(pruneStore(host, PRUNE)).toMatchObject({ removed: [], kept: 1 });
    age(host);
    await addCards(host, [NAME]);
    await removeCard(host, NAME);
    expect(pruneStore(host, PRUNE)).toMatchObject({ removed: [], kept: 1 });
  });

  test.each<[string, (host: TestHost) => string]>([
    ["a damaged record of consents", (host) => onlyFile(layout.ledgers(host.drwnHome))],
    ["a damaged lock", (host) => path.join(host.cwd, ".agents/drwn/card.lock")],
  ])("removes nothing when %s hides what is in use", async (_, place) => {
    const host = await installed(GUARD);
    await trust(host);
    await publish(host, { name: "@me/unused" });
    await addCards(host, ["@me/unused"]);
    await removeCard(host, "@me/unused");
    age(host);
    const file = place(host);
    fs.writeFileSync(file, "{");
    const before = readTree(layout.store(host.drwnHome));
    await problemOf(() => pruneStore(newProject(host, "elsewhere"), PRUNE));
    expect(readTree(layout.store(host.drwnHome))).toEqual(before);
  });
});

describe("verify", () => {
  test("computes every digest again, and names what is damaged", async () => {
    const host = await installed({}, { name: "@me/other" });
    expect(verifyStore(host)).toEqual({ path: layout.store(host.drwnHome), trees: 2, damaged: [] });
    const tree = treeOf(host, "@me/other");
    const file = path.join(layout.store(host.drwnHome), tree, "card.json");
    fs.chmodSync(file, 0o644);
    fs.appendFileSync(file, " ");
    const { damaged } = verifyStore(host);
    expect(damaged).toMatchObject([{ tree }]);
    expect(damaged[0]?.message).toContain("was changed after it was stored");
    await installCards(host, { frozen: true });
    expect(verifyStore(host).damaged).toEqual([]);
  });

  test("finds nothing wrong with a store that is not there, and does not make one", async () => {
    const host = await installed({});
    fs.renameSync(layout.store(host.drwnHome), path.join(host.home, "moved"));
    expect(verifyStore(host)).toMatchObject({ trees: 0, damaged: [] });
    expect(fs.existsSync(layout.store(host.drwnHome))).toBe(false);
  });
});

function onlyFile(folder: string): string {
  const [name = ""] = fs.readdirSync(folder);
  return path.join(folder, name);
}
