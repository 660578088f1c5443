import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import type { Grant, Ledger } from "../../src/contract/ledger.ts";
import { activeGrant, newLedger, readLedger, replaceGrant, writeLedger } from "../../src/trust/ledger-file.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";
import { someApproval, someFacts, someGrant } from "../support/grants.ts";
import { problemOf, textOf } from "../support/problems.ts";

const KEY = "ab".repeat(32);
const PROJECT = { path: "/p", gitCommonDir: null, gitPath: null, inode: null };
const AT = "2026-03-01T12:00:00.000Z";
const BUNDLE = `sha256-${"0".repeat(64)}`;

const grant = (parts: Partial<Grant> = {}): Grant => someGrant({ card: "@me/a", ...parts });

function approved(hook: string): Grant["approved"] {
  return [someApproval({ bundles: { [hook]: BUNDLE }, hooks: [{ name: hook, ...someFacts() }] })];
}

function homeWith(ledger: Ledger): string {
  const home = temporaryFolder();
  writeLedger(home, KEY, ledger);
  return home;
}

const fileOf = (home: string) => layout.ledger(home, KEY);

test("where nothing was ever consented to there is no ledger", () => {
  expect(readLedger(temporaryFolder(), KEY)).toBeUndefined();
});

test("a ledger is read as it was written, counts its changes, and is its owner's alone", () => {
  const home = homeWith(replaceGrant(newLedger(PROJECT), grant({ approved: approved("guard") })));
  const first = readLedger(home, KEY);
  expect(first).toMatchObject({ sequence: 1, project: PROJECT, grants: [{ card: "@me/a" }] });
  if (first !== undefined) writeLedger(home, KEY, first);
  expect(readLedger(home, KEY)?.sequence).toBe(2);
  expect(fs.statSync(fileOf(home)).mode & 0o777).toBe(0o600);
  expect(fs.statSync(layout.ledgers(home)).mode & 0o777).toBe(0o700);
});

test("a grant takes the place of the card's former one, and a revoked one is not active", () => {
  const ledger = [grant(), grant({ card: "@me/b" }), grant({ revokedAt: AT })].reduce(replaceGrant, newLedger(PROJECT));
  expect(ledger.grants.map(({ card }) => card)).toEqual(["@me/a", "@me/b"]);
  expect(activeGrant(ledger, "@me/a")).toBeUndefined();
  expect(activeGrant(ledger, "@me/b")?.card).toBe("@me/b");
  expect(activeGrant(undefined, "@me/b")).toBeUndefined();
});

const UNSAFE: [string, (home: string) => void, RegExp][] = [
  ["that others may change", (home) => fs.chmodSync(fileOf(home), 0o620), /can be changed by other users/u],
  ["that everybody may change", (home) => fs.chmodSync(fileOf(home), 0o602), /can be changed by other users/u],
  ["in a folder that others may change", (home) => fs.chmodSync(layout.ledgers(home), 0o770), /ledger can be changed/u],
  ["that is a link", (home) => moveBehindLink(fileOf(home)), /is a symbolic link/u],
  ["in a folder that is a link", (home) => moveBehindLink(layout.ledgers(home)), /ledger is a symbolic link/u],
  ["that is a link to nowhere", (home) => linkToNowhere(fileOf(home)), /is a symbolic link/u],
];

function moveBehindLink(file: string): void {
  fs.renameSync(file, `${file}-moved`);
  fs.symlinkSync(`${file}-moved`, file);
}

function linkToNowhere(file: string): void {
  fs.rmSync(file);
  fs.symlinkSync("/nowhere", file);
}

test.each(UNSAFE)("a ledger %s is a problem, never an empty one", async (_, spoil, message) => {
  const home = homeWith(newLedger(PROJECT));
  spoil(home);
  const problem = await problemOf(() => readLedger(home, KEY));
  expect(problem.code).toBe("DRWN_LEDGER_UNSAFE");
  expect(problem.message).toMatch(message);
});

test.runIf(process.getuid?.() === 0)("a ledger of another user is a problem", async () => {
  const home = homeWith(newLedger(PROJECT));
  fs.chownSync(fileOf(home), 12345, 12345);
  expect((await problemOf(() => readLedger(home, KEY))).message).toMatch(/belongs to another user/u);
});

const VALID = {
  ...newLedger(PROJECT),
  sequence: 1,
  grants: [grant({ approved: approved("guard") })],
};
const withEdit = (edit: (ledger: Record<string, unknown>, first: Record<string, unknown>) => void) => {
  const ledger = structuredClone(VALID) as unknown as Record<string, unknown> & { grants: Record<string, unknown>[] };
  edit(ledger, ledger.grants[0] ?? {});
  return JSON.stringify(ledger);
};

const DAMAGED: [string, string | Uint8Array, RegExp][] = [
  ["is empty", "", /not JSON/u],
  ["is cut off", JSON.stringify(VALID).slice(0, -2), /not JSON/u],
  ["is an empty object", "{}", /`version` should be 2/u],
  ["is a list", "[]", /should be an object/u],
  ["is not UTF-8", Uint8Array.of(0xff, 0xfe), /not UTF-8/u],
  ["has no grants", withEdit((ledger) => delete ledger["grants"]), /`grants` should be/u],
  [
    "has another version",
    withEdit((ledger) => {
      ledger["version"] = 3;
    }),
    /`version` should be 2/u,
  ],
  [
    "has an unknown key",
    withEdit((ledger) => {
      ledger["trusted"] = true;
    }),
    /`trusted` should be absent/u,
  ],
  [
    "names a plan by no digest",
    withEdit((ledger) => {
      ledger["plan"] = "../../x";
    }),
    /`plan`/u,
  ],
  [
    "has a grant without time",
    withEdit((_, first) => {
      first["grantedAt"] = "yesterday";
    }),
    /`grants\[0\]\.grantedAt`/u,
  ],
  [
    "has a grant that is neither revoked nor not",
    withEdit((_, first) => delete first["revokedAt"]),
    /`grants\[0\]\.revokedAt`/u,
  ],
  [
    "has an approval by nobody",
    withEdit((_, first) => {
      first["approved"] = [{ ...approved("guard")[0], by: "ci" }];
    }),
    /`grants\[0\]\.approved\[0\]\.by`/u,
  ],
  [
    "has a bundle by no digest",
    withEdit((_, first) => {
      first["approved"] = [{ ...approved("guard")[0], bundles: { guard: "x" } }];
    }),
    /bundles/u,
  ],
  ["has a key twice", '{"version":1,"version":1}', /twice/u],
];

test.each(DAMAGED)("a ledger that %s is a problem, and says how to fix it", async (_, content, message) => {
  const home = temporaryFolder();
  writeTree(home, { [`ledger/${KEY}.json`]: content });
  const problem = await problemOf(() => readLedger(home, KEY));
  expect(problem.code).toBe("DRWN_LEDGER_INVALID");
  expect(textOf(problem)).toMatch(message);
  expect(problem.hint).toContain(fileOf(home));
  expect(problem.hint).toContain("drwn trust");
});

test("a folder in the place of a ledger is a problem", async () => {
  const home = temporaryFolder();
  fs.mkdirSync(path.join(layout.ledgers(home), `${KEY}.json`), { recursive: true });
  expect((await problemOf(() => readLedger(home, KEY))).code).toBe("DRWN_LEDGER_INVALID");
});

test("a ledger that could not be read again is not written", async () => {
  const home = homeWith(newLedger(PROJECT));
  const before = fs.readFileSync(fileOf(home), "utf8");
  const bad = replaceGrant(newLedger(PROJECT), grant({ approved: approved("constructor") }));
  expect((await problemOf(() => writeLedger(home, KEY, bad))).message).toContain("constructor");
  expect(fs.readFileSync(fileOf(home), "utf8")).toBe(before);
});

test("the consents to many cards and versions fit into a ledger", () => {
  const versions = Array.from({ length: 20 }, () => approved("guard")).flat();
  const grants = Array.from({ length: 150 }, (_, at) => grant({ card: `@me/card-${at}`, approved: versions }));
  const home = homeWith(grants.reduce(replaceGrant, newLedger(PROJECT)));
  expect(fs.statSync(fileOf(home)).size).toBeGreaterThan(1024 * 1024);
  expect(readLedger(home, KEY)?.grants).toEqual(grants);
});
