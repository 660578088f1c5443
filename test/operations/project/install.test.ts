import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { drwn } from "../../../src/kernel/advice.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { initProject } from "../../../src/operations/project/init.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { listCards } from "../../../src/operations/project/list.ts";
import { removeCard } from "../../../src/operations/project/remove.ts";
import { readConfig, writeConfig } from "../../../src/project/config.ts";
import { projectFiles } from "../../../src/project/identity.ts";
import { type Lock, readLock } from "../../../src/project/lock.ts";
import { isStored } from "../../../src/registry/store.ts";
import { testHost } from "../../support/host.ts";
import { editJson, machineOf, snapshot } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, GUARD, installed, newProject, publish } from "../../support/projects.ts";

function lockedVersions(root: string): string[] {
  return readLock(root)?.cards.map(({ name, version }) => `${name}@${version}`) ?? [];
}

test("a project begins with an empty config and an empty lock, and only once", async () => {
  const host = testHost();
  const { root, created } = initProject(host);
  expect(created).toEqual([projectFiles.config(root), projectFiles.lock(root)]);
  expect(readStatus(host)).toMatchObject({ root, cards: [], dropped: [], lockMatches: true, planInForce: false });
  expect((await problemOf(() => initProject(host))).code).toBe("DRWN_PROJECT_EXISTS");
});

test("a lock whose config.json is gone survives init", async () => {
  const host = await installed(GUARD);
  fs.rmSync(projectFiles.config(host.cwd));
  expect(initProject(host).created).toEqual([projectFiles.config(host.cwd)]);
  expect(lockedVersions(host.cwd)).toEqual([`${CARD}@1.0.0`]);
});

test("adding takes the highest release, asks for ^version, and stores and locks the card", async () => {
  const host = newProject();
  await publish(host);
  await publish(host, { ...GUARD, version: "1.1.0" });
  const newest = await publish(host, { ...GUARD, version: "1.2.0" });
  await publish(host, { ...GUARD, version: "1.3.0-rc.1" });
  const added = await addCards(host, [CARD]);
  expect(added.cards).toEqual([
    { name: CARD, version: "1.2.0", range: "^1.2.0", before: null, hooks: 1, codeSkills: [], deprecated: null },
  ]);
  expect(readConfig(host.cwd).cards).toEqual({ [CARD]: "^1.2.0" });
  expect(readLock(host.cwd)?.cards).toEqual([
    {
      name: CARD,
      range: "^1.2.0",
      version: "1.2.0",
      source: "folder:default",
      integrity: newest.integrity,
      tree: newest.tree,
      hooks: newest.index.hooks,
      publisher: null,
    },
  ]);
  expect(isStored(host.drwnHome, newest.tree)).toBe(true);
});

test("from a subfolder the card goes into the project above", async () => {
  const host = newProject();
  await publish(host);
  fs.mkdirSync(path.join(host.cwd, "a/b"), { recursive: true });
  await addCards(host.at(path.join(host.cwd, "a/b")), [CARD]);
  expect(lockedVersions(host.cwd)).toEqual([`${CARD}@1.0.0`]);
});

test("a card that is added again keeps its place and says what it was", async () => {
  const host = newProject();
  await publish(host, { ...GUARD, name: "@me/a" });
  await publish(host, { ...GUARD, name: "@me/b" });
  await publish(host, { ...GUARD, name: "@me/a", version: "1.1.0" });
  await addCards(host, ["@me/a@1.0.0", "@me/b"]);
  const again = await addCards(host, ["@me/a@^1.0.0"]);
  expect(again.cards[0]).toMatchObject({ version: "1.1.0", before: "1.0.0", range: "^1.0.0" });
  expect(lockedVersions(host.cwd)).toEqual(["@me/a@1.1.0", "@me/b@1.0.0"]);
});

test.each([
  ["an unknown card", ["@me/none"], "DRWN_CARD_NOT_FOUND"],
  ["a range without a version", [`${CARD}@^9.0.0`], "DRWN_VERSION_NOT_FOUND"],
  ["no card name", ["backend"], "DRWN_SPEC_INVALID"],
  ["a range that is none", [`${CARD}@latest`], "DRWN_SPEC_INVALID"],
  ["the second of two that cannot be had", [CARD, "@me/none"], "DRWN_CARD_NOT_FOUND"],
  ["one card in two ranges", [`${CARD}@^1.0.0`, `${CARD}@1.0.0`], "DRWN_SPEC_INVALID"],
])("adding %s changes nothing in the project", async (_, specs, code) => {
  const host = newProject();
  await publish(host);
  const before = snapshot(host.cwd);
  expect((await problemOf(() => addCards(host, specs))).code).toBe(code);
  expect(snapshot(host.cwd)).toEqual(before);
});

test("adding outside a project says how to make one", async () => {
  const host = testHost();
  expect((await problemOf(() => addCards(host, [CARD]))).hint).toBe("drwn init");
});

test("installing on another machine fetches exactly what was locked, and then says that nothing is to be done", async () => {
  const host = await installed(GUARD);
  const lock = fs.readFileSync(projectFiles.lock(host.cwd));
  await publish(host, { ...GUARD, version: "1.1.0" });
  const machine = testHost({ cwd: host.cwd });
  fs.cpSync(layout.registry(host.drwnHome), layout.registry(machine.drwnHome), { recursive: true });
  for (const fetched of [true, false]) {
    const installed = await installCards(machine, { frozen: fetched });
    expect(installed).toEqual({
      cards: [{ name: CARD, version: "1.0.0", fetched, deprecated: null }],
      lockChanged: false,
    });
  }
  expect(fs.readFileSync(projectFiles.lock(host.cwd))).toEqual(lock);
});

test("a changed range locks the card anew, and one that still fits keeps its version", async () => {
  const host = newProject();
  await publish(host);
  await publish(host, { ...GUARD, version: "1.1.0" });
  await addCards(host, [`${CARD}@1.0.0`]);
  writeConfig(host.cwd, { version: 1, cards: { [CARD]: "^1.0.0" } });
  expect(readStatus(host).lockMatches).toBe(false);
  expect((await installCards(host, { frozen: false })).lockChanged).toBe(true);
  expect(lockedVersions(host.cwd)).toEqual([`${CARD}@1.0.0`]);
  writeConfig(host.cwd, { version: 1, cards: { [CARD]: "^1.1.0" } });
  await installCards(host, { frozen: false });
  expect(lockedVersions(host.cwd)).toEqual([`${CARD}@1.1.0`]);
  expect(readStatus(host).lockMatches).toBe(true);
});

test("a frozen install reproduces a lock in another order without touching it", async () => {
  const host = newProject();
  await publish(host, { ...GUARD, name: "@me/a" });
  await publish(host, { ...GUARD, name: "@me/b" });
  await addCards(host, ["@me/a", "@me/b"]);
  writeConfig(host.cwd, { version: 1, cards: { "@me/b": "^1.0.0", "@me/a": "^1.0.0" } });
  const before = snapshot(host.cwd);
  expect((await installCards(host, { frozen: true })).lockChanged).toBe(false);
  expect(snapshot(host.cwd)).toEqual(before);
});

test.each<[string, (root: string) => void, string]>([
  ["without a lock", (root) => fs.rmSync(projectFiles.lock(root)), "DRWN_LOCK_MISSING"],
  [
    "with a card that is not locked",
    (root) => writeConfig(root, { version: 1, cards: { [CARD]: "^1.0.0", "@me/x": "1" } }),
    "DRWN_LOCK_OUTDATED",
  ],
  [
    "with another range",
    (root) => writeConfig(root, { version: 1, cards: { [CARD]: "~1.0.0" } }),
    "DRWN_LOCK_OUTDATED",
  ],
  ["with a card that is not asked for", (root) => writeConfig(root, { version: 1, cards: {} }), "DRWN_LOCK_OUTDATED"],
])("a frozen install %s fails, and changes nothing", async (_, prepare, code) => {
  const host = await installed(GUARD);
  prepare(host.cwd);
  const before = snapshot(machineOf(host));
  const problem = await problemOf(() => installCards(host, { frozen: true }));
  expect(problem.code).toBe(code);
  expect(problem.hint).toBe("drwn install");
  expect(snapshot(machineOf(host))).toEqual({ ...before, ...pickLocks(snapshot(machineOf(host))) });
});

/** The empty folder of locks is no change of state. */
function pickLocks(entries: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => name.endsWith("drwn/locks")));
}

test("removing takes the card out of config and lock, and leaves the others", async () => {
  const host = newProject();
  await publish(host, { ...GUARD, name: "@me/a" });
  await publish(host, { ...GUARD, name: "@me/b" });
  await addCards(host, ["@me/a", "@me/b"]);
  expect(await removeCard(host, "@me/a")).toEqual({ card: "@me/a", revoked: false });
  expect(Object.keys(readConfig(host.cwd).cards)).toEqual(["@me/b"]);
  expect(lockedVersions(host.cwd)).toEqual(["@me/b@1.0.0"]);
  const problem = await problemOf(() => removeCard(host, "@me/a"));
  expect(problem.code).toBe("DRWN_CARD_NOT_INSTALLED");
  expect(problem.details).toEqual(["installed: @me/b"]);
});

test("a removal that was killed half-way is finished by the same command", async () => {
  const host = await installed(GUARD);
  writeConfig(host.cwd, { version: 1, cards: {} });
  await removeCard(host, CARD);
  expect(lockedVersions(host.cwd)).toEqual([]);
  await addCards(host, [CARD]);
  editJson<Lock>(projectFiles.lock(host.cwd), (lock) => {
    lock.cards = [];
  });
  await removeCard(host, CARD);
  expect(readConfig(host.cwd).cards).toEqual({});
});

test("a list shows the cards in their order, with what becomes of their hooks", async () => {
  const host = newProject();
  await publish(host);
  await publish(host, { name: "@me/a" });
  await addCards(host, [CARD, "@me/a"]);
  const reason = "nobody on this machine has consented to its hooks in this project";
  const review = drwn("card trust", CARD, "--hooks");
  const off = {
    state: "off",
    range: null,
    inForce: null,
    reason,
    joinsAt: null,
    yanked: false,
    inForceYanked: false,
    awaits: true,
    review,
  };
  expect(listCards(host)).toEqual({
    root: host.cwd,
    scope: "project",
    guarding: { ok: true, agents: [], leftOut: [], notInForce: [], replaced: [], enclosing: [], findings: [] },
    cards: [
      { name: CARD, version: "1.0.0", range: "^1.0.0", hooks: ["guard"], consent: off },
      { name: "@me/a", version: "1.0.0", range: "^1.0.0", hooks: [], consent: null },
    ],
    dropped: [],
    bringBack: [],
    looserOptions: [],
  });
});
