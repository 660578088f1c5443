import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { installCards } from "../../src/operations/project/install.ts";
import { previewWrite } from "../../src/operations/project/write.ts";
import { projectFiles } from "../../src/project/identity.ts";
import type { Lock, LockedCard } from "../../src/project/lock.ts";
import { putCard } from "../../src/registry/store.ts";
import { packedCard } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { editJson, machineOf, snapshot } from "../support/machine-state.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { CARD, GUARD, guardedProject, newProject, newSigner, publish, trust, write } from "../support/projects.ts";
import { sweep } from "../support/sweep.ts";

const VERBS: [string, (host: TestHost) => unknown][] = [
  ["write", write],
  ["write --check", (host) => previewWrite(host, { wiring: undefined })],
  ["trust", trust],
  ["install --frozen", (host) => installCards(host, { frozen: true })],
  ["install", (host) => installCards(host, { frozen: false })],
];

/** By field: the edit, and what each verb that notices it says. */
const EDITS: [string, Partial<LockedCard>, Record<string, RegExp>][] = [
  [
    "version",
    { version: "1.0.1" },
    all(/card\.lock names @me\/backend@1\.0\.1, but its tree is @me\/backend@1\.0\.0/u),
  ],
  [
    "tree",
    { tree: `drwn1-sha512-${"a".repeat(86)}` },
    {
      write: /the store has no @me\/backend@1\.0\.0\nlocked tree: drwn1-sha512-a{86}/u,
      "write --check": /the store has no @me\/backend@1\.0\.0\nlocked tree: drwn1-sha512-a{86}/u,
      trust: /the store has no @me\/backend@1\.0\.0\nlocked tree: drwn1-sha512-a{86}/u,
      "install --frozen":
        /the tree of @me\/backend@1\.0\.0 is not .*\nexpected: drwn1-sha512-a{86}\nreceived: drwn1-sha512-/u,
      install: /the tree of @me\/backend@1\.0\.0 is not .*\nexpected: drwn1-sha512-a{86}\nreceived: drwn1-sha512-/u,
    },
  ],
  [
    "integrity",
    { integrity: `sha512-${"A".repeat(86)}==` },
    {
      "install --frozen": /the tarball of @me\/backend@1\.0\.0 is not .*\nexpected: sha512-A{86}==\nreceived: sha512-/u,
      install: /the tarball of @me\/backend@1\.0\.0 is not .*\nexpected: sha512-A{86}==\nreceived: sha512-/u,
    },
  ],
  [
    "source",
    { source: "folder:evil\u001b[2K" },
    {
      "install --frozen":
        /locked to: folder:evil\\u\{1b\}\[2K\nwhich fails: here @me\/backend would come from folder:default/u,
      install: /locked to: folder:evil/u,
    },
  ],
  [
    "hooks",
    { hooks: [] },
    all(
      /other hooks of @me\/backend than are in its tree[\s\S]*hooks in card\.lock: sha256-[\s\S]*hooks in the tree: sha256-/u,
    ),
  ],
  [
    "publisher",
    { publisher: "ed25519:abc" },
    {
      ...all(/the signature of @me\/backend@1\.0\.0 is not on this machine\npublisher: ed25519:abc/u),
      "install --frozen": /card\.lock names another publisher of @me\/backend@1\.0\.0\nlocked: ed25519:abc/u,
      install: /card\.lock names another publisher of @me\/backend@1\.0\.0\nlocked: ed25519:abc/u,
    },
  ],
  [
    "name",
    { name: "@me/other" },
    {
      write: /@me\/backend is in config\.json, but not in card\.lock\n@me\/other is in card\.lock/u,
      "write --check": /DRWN_LOCK_OUTDATED/u,
      trust: /@me\/backend is not installed/u,
      "install --frozen": /DRWN_LOCK_OUTDATED/u,
    },
  ],
  [
    "range",
    { range: "^0.1.0 || ^1.0.0" },
    {
      write: /asked for as \^1\.0\.0, but was locked for \^0\.1\.0 \|\| \^1\.0\.0/u,
      "write --check": /DRWN_LOCK_OUTDATED/u,
      "install --frozen": /DRWN_LOCK_OUTDATED/u,
    },
  ],
];

function all(message: RegExp): Record<string, RegExp> {
  return Object.fromEntries(VERBS.map(([verb]) => [verb, message]));
}

const CASES = EDITS.flatMap(([field, edit, answers]) =>
  VERBS.flatMap(([verb, run]) => {
    const message = answers[verb];
    return message === undefined ? [] : [{ field, edit, verb, run, message }];
  }),
);

function editLock(host: TestHost, edit: Partial<LockedCard>): void {
  editJson<Lock>(projectFiles.lock(host.cwd), ({ cards }) => {
    Object.assign(cards[0] ?? {}, edit);
  });
}

test.each(sweep(CASES, 12))(
  "with $field of card.lock edited by hand, $verb refuses and writes nothing",
  async ({ edit, run, message }) => {
    const host = await guardedProject();
    editLock(host, edit);
    const before = snapshot(machineOf(host));
    expect(textOf(await problemOf(() => run(host)))).toMatch(message);
    expect(snapshot(machineOf(host))).toEqual(before);
  },
);

test("status says that a version is refused where its publisher is only what somebody wrote into card.lock", async () => {
  const host = newProject();
  await publish(host, GUARD, newSigner());
  await addCards(host, [CARD]);
  await trust(host);
  await write(host);
  const { files, manifest, tree, integrity, index } = await packedCard({ ...GUARD, version: "1.0.1" });
  await putCard(host.drwnHome, files, tree);
  editLock(host, { version: manifest.version, tree, integrity, hooks: index.hooks });
  expect((await problemOf(() => write(host))).code).toBe("DRWN_SIGNATURE_MISSING");
  expect(readStatus(host).cards).toMatchObject([
    { version: "1.0.1", consent: { state: "refused", inForce: "1.0.0", reason: expect.stringMatching(/signature/u) } },
  ]);
});

test("an entry of another name or range is brought back in step by install", async () => {
  const host = await guardedProject();
  const lock = fs.readFileSync(projectFiles.lock(host.cwd), "utf8");
  for (const edit of [{ name: "@me/other" }, { range: "^0.1.0 || ^1.0.0" }]) {
    editLock(host, edit);
    await installCards(host, { frozen: false });
    expect(fs.readFileSync(projectFiles.lock(host.cwd), "utf8")).toBe(lock);
  }
});

test("a whole entry of a version outside the range is refused, though all of it is true", async () => {
  const host = await guardedProject();
  const { manifest, tree, integrity, index } = await publish(host, { ...GUARD, version: "2.0.0" });
  await addCards(host, [`${CARD}@2.0.0`]);
  await addCards(host, [`${CARD}@^1.0.0`]);
  editLock(host, { version: manifest.version, tree, integrity, hooks: index.hooks });
  for (const [verb, run] of VERBS) {
    if (verb === "trust") continue;
    const problem = await problemOf(() => run(host));
    expect([verb, problem.code]).toEqual([verb, "DRWN_LOCK_OUTDATED"]);
    expect(textOf(problem)).toMatch(/2\.0\.0/u);
  }
});

test.each([
  ["changed", (file: string) => fs.appendFileSync(file, "\n// more\n")],
  ["emptied", (file: string) => fs.truncateSync(file)],
])("with a stored policy that was %s, write and trust name both digests and write nothing", async (_, damage) => {
  const host = await guardedProject();
  const tree = JSON.parse(fs.readFileSync(projectFiles.lock(host.cwd), "utf8")).cards[0].tree;
  const file = path.join(layout.store(host.drwnHome), tree, "hooks/guard/policy.ts");
  fs.chmodSync(file, 0o644);
  damage(file);
  const before = snapshot(machineOf(host));
  for (const run of [write, trust]) {
    const problem = await problemOf(() => run(host));
    expect(problem.code).toBe("DRWN_INTEGRITY_MISMATCH");
    expect(problem.details[0]).toBe(`expected: ${tree}`);
    expect(problem.details[1]).toMatch(/^received: drwn1-sha512-/u);
    expect(problem.hint).toBe("drwn install");
  }
  expect(snapshot(machineOf(host))).toEqual(before);
});
