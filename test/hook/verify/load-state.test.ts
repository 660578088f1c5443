import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { type ArmedHome, armHome, type LiteralPolicy } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";
import { sweep } from "../../support/sweep.ts";

const silent: LiteralPolicy = { policy: "{ beforeToolCall() {} }" };

const replaceBy =
  (file: (armed: ArmedHome) => string, content: string) =>
  (armed: ArmedHome): void =>
    fs.writeFileSync(file(armed), content);
const remove =
  (file: (armed: ArmedHome) => string) =>
  (armed: ArmedHome): void =>
    fs.rmSync(file(armed));
const ledgerFile = (armed: ArmedHome): string => armed.ledgerFile;
const planFile = (armed: ArmedHome): string => armed.planFile;
const pipe = (file: string): void => {
  fs.rmSync(file);
  spawnSync("mkfifo", [file]);
};

const folder = (file: string): void => {
  fs.rmSync(file);
  fs.mkdirSync(file);
};
const linkToNowhere = (file: string): void => {
  fs.rmSync(file);
  fs.symlinkSync("/nowhere", file);
};

const damages: [name: string, damage: (armed: ArmedHome) => void, says: string][] = [
  ["the ledger is deleted", remove(ledgerFile), "drwn trust"],
  ["the ledger is empty", replaceBy(ledgerFile, ""), "drwn trust"],
  ["the ledger is not JSON", replaceBy(ledgerFile, "{"), "drwn trust"],
  ["the ledger is null", replaceBy(ledgerFile, "null"), "drwn trust"],
  ["the ledger is an empty object", replaceBy(ledgerFile, "{}"), "drwn trust"],
  ["the ledger is of a later version", (armed) => armed.writeLedger({ ...armed.ledger, version: 3 }), "drwn trust"],
  ["the ledger names no plan", (armed) => armed.writeLedger({ ...armed.ledger, plan: undefined }), "drwn trust"],
  ["the ledger names a path", (armed) => armed.writeLedger({ ...armed.ledger, plan: "../../x" }), "drwn trust"],
  ["a grant isn't an object", (armed) => armed.writeLedger({ ...armed.ledger, grants: [1] }), "drwn trust"],
  ["the ledger is a folder", (armed) => folder(armed.ledgerFile), "drwn doctor"],
  ["the ledger is a pipe", (armed) => pipe(armed.ledgerFile), "drwn doctor"],
  ["the plan is deleted", remove(planFile), "drwn write"],
  ["the plan is altered", (armed) => fs.appendFileSync(armed.planFile, " "), "drwn write"],
  ["the plan is empty", replaceBy(planFile, ""), "drwn write"],
  ["the plan is a pipe", (armed) => pipe(armed.planFile), "drwn write"],
  [
    "the ledger names another plan",
    (armed) => armed.writeLedger({ ...armed.ledger, plan: `sha256-${"0".repeat(64)}` }),
    "drwn write",
  ],
  ["no grant names the card", (armed) => armed.writeLedger({ ...armed.ledger, grants: [] }), "drwn write"],
  [
    "the grant approves another bundle",
    (armed) => armed.writeLedger(withBundle(armed, `sha256-${"0".repeat(64)}`)),
    "drwn card trust",
  ],
  ["the grant approves nothing", (armed) => armed.writeLedger(withGrant(armed, { approved: [] })), "drwn card trust"],
];

function withGrant(armed: ArmedHome, change: Record<string, unknown>): unknown {
  return { ...armed.ledger, grants: armed.ledger.grants.map((grant) => ({ ...grant, ...change })) };
}

function withBundle(armed: ArmedHome, bundle: string): unknown {
  return withGrant(armed, { approved: [{ bundles: { "guard-0": bundle } }] });
}

test.each(
  sweep(
    damages.map((damage, at) => [...damage, at % 2 === 0 ? "enforcement" : "observer"] as const),
    10,
  ),
)(
  "when %s the call is blocked, one line says what repairs it, and unrelated folders hear nothing of it",
  (_, damage, says, kind) => {
    const armed = armHome([{ ...silent, kind }]);
    damage(armed);
    const result = armed.call();
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)).toContain(says);
    expect(reasonOf(result)).not.toContain("\n");
    const elsewhere = armed.call({}, { cwd: armed.world, env: { CLAUDE_PROJECT_DIR: armed.world } });
    expect([verdictOf(elsewhere), elsewhere.stderr]).toEqual(["silence", ""]);
  },
);

const harms: [name: string, harm: (file: string) => void][] = [
  ["deleted", (file) => fs.rmSync(file)],
  ["altered", (file) => fs.appendFileSync(file, "\n")],
  ["emptied", (file) => fs.writeFileSync(file, "")],
  ["a folder", folder],
  ["a pipe", pipe],
  ["a link to nowhere", linkToNowhere],
];

describe.each(sweep(harms, 2))("when a compiled policy is %s", (_, harm) => {
  const good: LiteralPolicy = {
    hook: "good",
    policy: `{ beforeToolCall: () => ({ action: "deny", reason: "good deny" }) }`,
  };

  test("an enforcement policy denies, with its name and the repair", () => {
    const armed = armHome([{ ...silent, hook: "hurt" }]);
    harm(armed.bundleFile("hurt"));
    const result = armed.call();
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)).toMatch(/^\[@me\/guards#hurt\] .*drwn write.*drwn card trust @me\/guards/u);
  });

  test("an observer is journaled and left out, and the others still count", () => {
    const armed = armHome([{ ...silent, hook: "hurt", kind: "observer" }, good]);
    harm(armed.bundleFile("hurt"));
    expect(reasonOf(armed.call())).toBe("[@me/guards#good] good deny");
    expect(armed.journal()).toMatchObject([
      { policies: [{ failure: expect.stringContaining("cannot run") }, { decision: "deny" }] },
    ]);
  });

  test("nothing happens for tools that the policy does not want", () => {
    const armed = armHome([{ ...silent, hook: "hurt", match: "^Other$" }]);
    harm(armed.bundleFile("hurt"));
    expect(verdictOf(armed.call())).toBe("silence");
  });
});

describe("consent that was withdrawn", () => {
  const revoked = { revokedAt: "2026-02-01T00:00:00.000Z" };
  const denying = (card: string): LiteralPolicy => ({
    card,
    hook: card.slice(1, 2),
    policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }`,
  });

  test("is silence at once, without a new plan, even when its files are gone", () => {
    const armed = armHome([denying("@a/x")]);
    expect(verdictOf(armed.call())).toBe("deny");
    armed.writeLedger(withGrant(armed, revoked));
    fs.rmSync(armed.bundleFile("a"));
    expect(verdictOf(armed.call())).toBe("silence");
    expect(verdictOf(armed.call({}, { input: "{" }))).toBe("silence");
  });

  test("takes out its own card only", () => {
    const armed = armHome([denying("@a/x"), denying("@b/y")]);
    const grants = armed.ledger.grants.map((grant) => (grant.card === "@a/x" ? { ...grant, ...revoked } : grant));
    armed.writeLedger({ ...armed.ledger, grants });
    expect(reasonOf(armed.call())).toBe("[@b/y#b] no");
  });

  test("does not outweigh a newer consent to the same card", () => {
    const armed = armHome([denying("@a/x")]);
    const grants = [...armed.ledger.grants.map((grant) => ({ ...grant, ...revoked })), ...armed.ledger.grants];
    armed.writeLedger({ ...armed.ledger, grants });
    expect(verdictOf(armed.call())).toBe("deny");
  });

  test("a ledger without a plan is silence", () => {
    const armed = armHome([denying("@a/x")]);
    armed.writeLedger({ ...armed.ledger, plan: null });
    expect(verdictOf(armed.call())).toBe("silence");
  });
});

describe("the canary", () => {
  const canary = { tool_name: "drwn:canary", tool_input: {} };
  const denying: LiteralPolicy = { hook: "guard", match: "^Other$", policy: "{}", top: "throw 1;" };

  test("names the plan and runs nothing", () => {
    const armed = armHome([denying]);
    expect(armed.call(canary).stdout).toBe(`${JSON.stringify({ systemMessage: `drwn:canary:${armed.planDigest}` })}\n`);
    expect(armed.journal()).toEqual([]);
  });

  test.each<[string, (armed: ArmedHome) => void]>([
    ["the plan", (armed) => fs.rmSync(armed.planFile)],
    ["the ledger", (armed) => fs.rmSync(armed.ledgerFile)],
    ["the file of any policy", (armed) => fs.appendFileSync(armed.bundleFile("guard"), " ")],
  ])("is blocked when %s is damaged", (_, damage) => {
    const armed = armHome([denying]);
    damage(armed);
    expect(verdictOf(armed.call(canary))).toBe("deny");
  });
});

describe("the journal", () => {
  const secret: LiteralPolicy = {
    policy: `{ beforeToolCall: () => ({ action: "allow", updatedInput: { command: "hidden" } }) }`,
  };
  const adding: LiteralPolicy = {
    policy: `{ beforeToolCall: () => ({ action: "allow", additionalContext: "hidden" }) }`,
  };
  const journalOf = (armed: ArmedHome): string => layout.journal(armed.home, armed.key);

  test("has one line for each call, only for its owner, and no input of a plain allow", () => {
    const armed = armHome([adding, { ...silent, kind: "observer" }]);
    armed.call({ tool_input: { command: "shown" } });
    armed.call({ tool_name: "Read" });
    expect(armed.journal()).toMatchObject([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/u),
        runtime: "claude-code",
        phase: "pre-tool",
        tool: "Bash",
        verdict: "allow",
        effective: "allow",
        ms: expect.any(Number),
        policies: [
          {
            policy: "@me/guards@1.2.3#guard-0",
            kind: "enforcement",
            decision: "allow",
            applied: true,
            ms: expect.any(Number),
            bundle: expect.stringMatching(/^sha256-/u),
          },
          { policy: "@me/guards@1.2.3#guard-1", kind: "observer", decision: "none", applied: false },
        ],
      },
      { tool: "Read" },
    ]);
    expect(fs.statSync(journalOf(armed)).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(journalOf(armed), "utf8")).not.toMatch(/hidden|shown/u);
  });

  test.each<[string, (file: string) => void]>([
    ["a folder", (file) => fs.mkdirSync(file)],
    ["a pipe", (file) => spawnSync("mkfifo", [file])],
    ["a link", (file) => fs.symlinkSync(path.join(path.dirname(file), "elsewhere"), file)],
    ["a full device", (file) => fs.symlinkSync("/dev/full", file)],
  ])("decides nothing when it is %s", (_, obstruct) => {
    const armed = armHome([secret]);
    obstruct(journalOf(armed));
    const result = armed.call();
    expect(result.said?.hookSpecificOutput?.updatedInput).toEqual({ command: "hidden" });
    expect([result.status, result.stderr]).toEqual([0, ""]);
  });
});
