import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { commitFiles } from "../../src/project/commit.ts";
import { readConfig, withCard, withoutCard, writeConfig } from "../../src/project/config.ts";
import { projectFiles } from "../../src/project/identity.ts";
import { EMPTY_LOCK, findMismatches, type LockedCard, readLock, writeLock } from "../../src/project/lock.ts";
import { editNewRequests, editRequest, editWithdrawal, readTrustRequest } from "../../src/project/trust-request.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";
import { problemOf, textOf } from "../support/problems.ts";

const INTEGRITY = `sha512-${"A".repeat(86)}==`;
const TREE = `drwn1-sha512-${"a".repeat(86)}`;

const locked = (parts: Partial<LockedCard> = {}): LockedCard => ({
  name: "@me/backend",
  range: "^1.0.0",
  version: "1.0.0",
  source: "folder:default",
  integrity: INTEGRITY,
  tree: TREE,
  hooks: [],
  publisher: null,
  ...parts,
});

function projectWith(file: string, text: string): string {
  return writeTree(temporaryFolder(), { [path.join(".agents/drwn", file)]: text });
}

test("cards keep their order, and one that is asked for again keeps its place", () => {
  const root = temporaryFolder();
  let config = withCard({ version: 1, cards: {} }, "@me/z", "^1.0.0");
  config = withCard(withCard(config, "@me/a", "^2.0.0"), "@me/z", "^3.0.0");
  writeConfig(root, config);
  expect(Object.entries(readConfig(root).cards)).toEqual([
    ["@me/z", "^3.0.0"],
    ["@me/a", "^2.0.0"],
  ]);
  expect(withoutCard(config, "@me/z").cards).toEqual({ "@me/a": "^2.0.0" });
});

test.each([
  ["not JSON", "{", /config\.json, line 1: .*not JSON/u],
  ["empty", "", /config\.json, line 1: .*not JSON/u],
  ["a comment", '{\n// hi\n"version":1,"cards":{}}', /line 2/u],
  ["no cards", '{"version":1}', /`cards` should be a record, got nothing/u],
  ["another version", '{"version":2,"cards":{}}', /`version` should be 1, got 2/u],
  ["an unknown key", '{"version":1,"cards":{},"hooks":true}', /`hooks` should be absent/u],
  [
    "a name without scope",
    '{"version":1,\n"cards":{"backend":"^1.0.0"}}',
    /line 2: `cards\.backend` should be named @scope\/name/u,
  ],
  ["a name that climbs", '{"version":1,"cards":{"@me/../x":"^1.0.0"}}', /should be named @scope\/name/u],
  [
    "a range that is none",
    '{"version":1,\n"cards":{"@me/a":"latest"}}',
    /line 2: `cards\["@me\/a"\]` should be a semver range .*got "latest"/u,
  ],
  ["an empty range", '{"version":1,"cards":{"@me/a":""}}', /should be a semver range/u],
  ["a card twice", '{"version":1,"cards":{"@me/a":"1","@me/a":"2"}}', /twice/u],
  ["a prototype key", '{"version":1,"cards":{},"__proto__":{}}', /__proto__/u],
])("config.json with %s is refused by file, line and field", async (_, text, message) => {
  const root = projectWith("config.json", text);
  const problem = await problemOf(() => readConfig(root));
  expect(problem.code).toBe("DRWN_FILE_INVALID");
  expect(problem.message).toContain(projectFiles.config(root));
  expect(problem.message).toMatch(message);
});

test("a file that is too large, a folder or a pipe is refused without being read", async () => {
  const root = projectWith("config.json", " ".repeat(1024 * 1024 + 1));
  expect((await problemOf(() => readConfig(root))).code).toBe("DRWN_FILE_TOO_LARGE");
  const other = temporaryFolder();
  fs.mkdirSync(projectFiles.lock(other), { recursive: true });
  expect((await problemOf(() => readLock(other))).message).toMatch(/not a regular file/u);
});

test("a lock is read as it was written, and an absent one is none", () => {
  const root = temporaryFolder();
  expect(readLock(root)).toBeUndefined();
  const lock = { ...EMPTY_LOCK, cards: [locked(), locked({ name: "@me/other" })] };
  writeLock(root, lock);
  expect(readLock(root)).toEqual(lock);
  expect(fs.readFileSync(projectFiles.lock(root), "utf8")).toMatch(/^\{\n {2}"lockfileVersion": 1,\n[\s\S]*\}\n$/u);
});

const HOOK = { name: "guard", kind: "enforcement", matcher: null, phases: ["pre-tool"], timeoutMs: 5000 };

test.each([
  ["name", "backend", /`cards\[0\]\.name` should be @scope\/name/u],
  ["name", 7, /`cards\[0\]\.name` should be a string, got 7/u],
  ["range", "latest", /`cards\[0\]\.range` should be a semver range/u],
  ["version", "v1.0.0", /`cards\[0\]\.version` should be strict semver/u],
  ["version", "1.0.0+build", /`cards\[0\]\.version` should be strict semver/u],
  ["source", null, /`cards\[0\]\.source` should be a string/u],
  ["integrity", "sha1-abc", /`cards\[0\]\.integrity`/u],
  ["integrity", `${INTEGRITY} ${INTEGRITY}`, /`cards\[0\]\.integrity`/u],
  ["tree", "drwn1-sha512-short", /`cards\[0\]\.tree`/u],
  ["tree", `drwn1-sha512-../../${"a".repeat(80)}`, /`cards\[0\]\.tree`/u],
  ["hooks", {}, /`cards\[0\]\.hooks` should be an array/u],
  ["hooks", [{ ...HOOK, capabilities: [], files: ["hooks/guard/policy.ts"] }], /`cards\[0\]\.hooks\[0\]\.digest`/u],
  [
    "hooks",
    [{ ...HOOK, capabilities: ["root"], files: ["a"], digest: TREE }],
    /`cards\[0\]\.hooks\[0\]\.capabilities\[0\]`/u,
  ],
  [
    "hooks",
    [{ ...HOOK, name: "../x", capabilities: [], files: ["a"], digest: TREE }],
    /`cards\[0\]\.hooks\[0\]\.name`/u,
  ],
  ["publisher", false, /`cards\[0\]\.publisher`/u],
  ["extra", 1, /`cards\[0\]\.extra` should be absent/u],
])("card.lock with %s %j is refused by field", async (field, value, message) => {
  const root = projectWith(
    "card.lock",
    JSON.stringify({ lockfileVersion: 1, cards: [{ ...locked(), [field]: value }] }),
  );
  const problem = await problemOf(() => readLock(root));
  expect(problem.code).toBe("DRWN_FILE_INVALID");
  expect(textOf(problem)).toMatch(message);
});

test("a lock that lists a card twice is refused", async () => {
  const root = projectWith("card.lock", JSON.stringify({ lockfileVersion: 1, cards: [locked(), locked()] }));
  const problem = await problemOf(() => readLock(root));
  expect(problem.code).toBe("DRWN_LOCK_OUTDATED");
  expect(problem.message).toContain("@me/backend twice");
});

test.each<[string, Record<string, string>, LockedCard[], RegExp[]]>([
  ["nothing, when all agree", { "@me/backend": "^1.0.0" }, [locked()], []],
  [
    "a card that is not locked",
    { "@me/backend": "^1.0.0" },
    [],
    [/@me\/backend is in config\.json, but not in card\.lock/u],
  ],
  ["a card that is not asked for", {}, [locked()], [/@me\/backend is in card\.lock, but not in config\.json/u]],
  ["another range", { "@me/backend": "^2.0.0" }, [locked()], [/asked for as \^2\.0\.0, but was locked for \^1\.0\.0/u]],
  ["a version outside its range", { "@me/backend": "^1.0.0" }, [locked({ version: "2.0.0" })], [/2\.0\.0 is locked/u]],
])("between config.json and card.lock is found: %s", (_, cards, entries, expected) => {
  const found = findMismatches({ version: 1, cards }, { lockfileVersion: 1, cards: entries });
  expect(found).toHaveLength(expected.length);
  for (const [at, message] of expected.entries()) expect(found[at]).toMatch(message);
});

test("requests are sorted, replaced and withdrawn on purpose alone, and a project without any has no file", () => {
  const root = temporaryFolder();
  expect(readTrustRequest(root).requests).toEqual({});
  expect(editWithdrawal(root, "@me/a")).toEqual([]);
  commitFiles("", editNewRequests(root, [{ card: "@me/z", range: "^1.0.0" }]));
  commitFiles("", editNewRequests(root, [{ card: "@me/a", range: "^1.0.0" }]));
  expect(editNewRequests(root, [{ card: "@me/z", range: "^2.0.0" }])).toEqual([]);
  commitFiles("", [editRequest(root, { card: "@me/z", range: "^2.0.0" })]);
  expect(Object.entries(readTrustRequest(root).requests)).toEqual([
    ["@me/a", { hooks: "^1.0.0" }],
    ["@me/z", { hooks: "^2.0.0" }],
  ]);
  commitFiles("", editWithdrawal(root, "@me/z"));
  expect(Object.keys(readTrustRequest(root).requests)).toEqual(["@me/a"]);
});

test.each([
  ["a name that is none", { backend: { hooks: "^1.0.0" } }, /should be named @scope\/name/u],
  ["a range that is none", { "@me/a": { hooks: "all" } }, /`requests\["@me\/a"\]\.hooks` should be a semver range/u],
  [
    "an unknown key",
    { "@me/a": { hooks: "^1.0.0", accepted: true } },
    /`requests\["@me\/a"\]\.accepted` should be absent/u,
  ],
])("trust.json with %s is refused by field", async (_, requests, message) => {
  const root = projectWith("trust.json", JSON.stringify({ version: 1, requests }));
  const problem = await problemOf(() => readTrustRequest(root));
  expect(problem.code).toBe("DRWN_FILE_INVALID");
  expect(problem.message).toMatch(message);
});
