import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { type Approval, type Grant, type Ledger, LONGEST_PAUSE_MS, type Mode } from "../../../src/contract/ledger.ts";
import type { Plan, PlannedPolicy } from "../../../src/contract/plan.ts";
import { loadState } from "../../../src/hook/verify/load-state.ts";
import { digestOf } from "../../../src/kernel/digest.ts";
import { type ArmedHome, armHome, type LiteralPolicy, write } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";

const NOW = Date.parse("2026-05-01T00:00:00.000Z");
const [BEFORE, AFTER] = ["2026-04-30T23:59:59.999Z", "2026-05-01T00:00:00.001Z"];

const denying = (parts: Partial<LiteralPolicy> = {}): LiteralPolicy => ({
  policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }`,
  ...parts,
});

/** `live`, `silent`, `paused`, or what blocks the call. */
function stateOf(armed: ArmedHome): string {
  const state = loadState(armed, NOW);
  return state.kind === "damaged" ? state.reason : state.kind;
}

interface Change {
  ledger?: Partial<Ledger>;
  grant?: Partial<Grant>;
  approval?: Partial<Approval>;
  /** Of the first planned policy. */
  planned?: Partial<PlannedPolicy>;
  policies?: (policies: PlannedPolicy[]) => PlannedPolicy[];
}

/** Rewrites plan and ledger so that they agree in their digests: what is left to notice is what they say. */
function change(armed: ArmedHome, { ledger, grant, approval, planned, policies }: Change): void {
  const plan = JSON.parse(fs.readFileSync(armed.planFile, "utf8")) as Plan;
  const edited = plan.policies.map((policy, at) => (at === 0 ? { ...policy, ...planned } : policy));
  const text = JSON.stringify({ ...plan, policies: policies === undefined ? edited : policies(edited) });
  write(layout.plan(armed.home, armed.key, digestOf(text)), text);
  const grants = armed.ledger.grants.map((one) => ({
    ...one,
    ...grant,
    approved: one.approved.map((had) => ({ ...had, ...approval })),
  }));
  armed.writeLedger({ ...armed.ledger, plan: digestOf(text), grants, ...ledger });
}

const MODES: [granted: Mode, planned: Mode, runsAs: Mode | null][] = [
  ["enforce", "enforce", "enforce"],
  ["enforce", "restrict-only", null],
  ["enforce", "shadow", null],
  ["restrict-only", "enforce", "restrict-only"],
  ["restrict-only", "restrict-only", "restrict-only"],
  ["restrict-only", "shadow", null],
  ["shadow", "enforce", "shadow"],
  ["shadow", "restrict-only", "shadow"],
  ["shadow", "shadow", "shadow"],
];

test.each(MODES)("a consent to %s and a plan that says %s come to %s; null blocks", (granted, planned, runsAs) => {
  const armed = armHome([denying()]);
  change(armed, { grant: { mode: granted }, planned: { mode: planned } });
  const state = loadState(armed, NOW);
  if (runsAs === null) expect(stateOf(armed)).toMatch(/asks less of @me\/guards than you consented to.*drwn write/u);
  else expect(state).toMatchObject({ kind: "live", policies: [{ mode: runsAs }] });
});

test("a card that binds itself to saying no is bound by every consent", () => {
  const armed = armHome([denying()]);
  change(armed, { approval: { restrictOnly: true } });
  expect(loadState(armed, NOW)).toMatchObject({ kind: "live", policies: [{ mode: "restrict-only" }] });
});

test("the ask fallback is the one of the consent, whatever the plan says", () => {
  const armed = armHome([denying()]);
  change(armed, { grant: { askFallback: "deny" }, planned: { askFallback: "allow" } });
  expect(loadState(armed, NOW)).toMatchObject({ policies: [{ askFallback: "deny" }] });
});

const DIFFERENT: [string, Partial<PlannedPolicy>][] = [
  ["kind", { kind: "observer" }],
  ["matcher", { matcher: "Bash" }],
  ["phases", { phases: ["post-tool"] }],
  ["timeout (a shorter one)", { timeoutMs: 1 }],
  ["timeout (a longer one)", { timeoutMs: 5_001 }],
  ["capabilities", { capabilities: ["net"] }],
  ["publisher", { publisher: `ed25519:${"A".repeat(43)}` }],
  ["version", { cardVersion: "1.2.4" }],
  ["hook", { hook: "toString" }],
  ["bundle", { bundle: digestOf("other") }],
  ["card", { card: "@me/other" }],
];

test.each(DIFFERENT)(
  "a plan whose %s is not what was consented to blocks, though its digest is right",
  (_, planned) => {
    const armed = armHome([denying()]);
    change(armed, { planned });
    expect(stateOf(armed)).toMatch(/which you did not consent to/u);
  },
);

test("a plan that asks less of one hook than of the others of its card blocks", () => {
  const armed = armHome([denying(), denying()]);
  change(armed, { policies: (all) => all.map((one, at) => (at === 0 ? one : { ...one, mode: "shadow" })) });
  expect(stateOf(armed)).toMatch(/asks less of @me\/guards/u);
});

test("a plan that leaves out a hook of a card that it runs blocks", () => {
  const armed = armHome([denying(), denying()]);
  change(armed, { policies: (policies) => policies.slice(1) });
  expect(stateOf(armed)).toMatch(/asks less of @me\/guards/u);
});

test("of two consents to one card each rules the hooks that it is for", () => {
  const armed = armHome([denying({ hook: "a" }), denying({ hook: "b" })]);
  const grants = armed.ledger.grants.flatMap((one): Grant[] => [
    { ...one, hooks: ["a"], mode: "shadow" },
    { ...one, hooks: ["b"] },
  ]);
  armed.writeLedger({ ...armed.ledger, grants });
  expect(loadState(armed, NOW)).toMatchObject({
    policies: [
      { hook: "a", mode: "shadow" },
      { hook: "b", mode: "enforce" },
    ],
  });
});

test("a consent to some hooks only runs these, and the plan need not hold the others", () => {
  const armed = armHome([denying({ hook: "a" }), denying({ hook: "b" })]);
  change(armed, { grant: { hooks: ["b"] } });
  expect(loadState(armed, NOW)).toMatchObject({ kind: "live", policies: [{ hook: "b" }] });
  change(armed, { grant: { hooks: ["b"] }, policies: (policies) => policies.slice(1) });
  expect(loadState(armed, NOW)).toMatchObject({ kind: "live", policies: [{ hook: "b" }] });
  change(armed, { grant: { hooks: [] } });
  expect(stateOf(armed)).toBe("silent");
});

test.each([
  ["names the agent", ["claude-code", "codex"], "deny"],
  ["names another agent", ["codex"], undefined],
])("a consent that %s decides whether the policy runs in it", (_, runtimes, decision) => {
  const armed = armHome([denying()]);
  change(armed, { grant: { runtimes } });
  const { status, said } = armed.call();
  expect([status, said?.hookSpecificOutput?.permissionDecision]).toEqual([0, decision]);
});

const ENDS: [string, Change, string][] = [
  ["has ended", { grant: { expiresAt: BEFORE } }, "silent"],
  ["ends this very moment", { grant: { expiresAt: "2026-05-01T00:00:00.000Z" } }, "silent"],
  ["has not ended", { grant: { expiresAt: AFTER } }, "live"],
  ["was yanked, and stands down", { grant: { onYank: "stand-down" }, approval: { yankedAt: BEFORE } }, "silent"],
  ["was yanked, and is kept", { approval: { yankedAt: BEFORE } }, "live"],
  ["would stand down, and was not yanked", { grant: { onYank: "stand-down" } }, "live"],
  ["is paused", { ledger: { pausedUntil: AFTER } }, "paused"],
  ["was paused", { ledger: { pausedUntil: BEFORE } }, "live"],
];

test.each(ENDS)("what was consented to and %s", (_, changed, state) => {
  const armed = armHome([denying()]);
  change(armed, changed);
  expect(stateOf(armed)).toBe(state);
});

const BROKEN: [string, Change][] = [
  ["a pause without an end", { ledger: { pausedUntil: "for ever" } }],
  ["a pause that drwn never writes", { ledger: { pausedUntil: new Date(NOW + LONGEST_PAUSE_MS + 1).toISOString() } }],
  ["an end that is no time", { grant: { expiresAt: "soon" } }],
  ["a mode that there is not", { grant: { mode: "lax" as Mode } }],
  ["hooks that are no list", { grant: { hooks: "guard-0" as unknown as string[] } }],
  ["an approval without hooks", { approval: { hooks: null as unknown as [] } }],
  ["an approval that says nothing of a yank", { approval: { yankedAt: undefined as unknown as null } }],
];

test.each(BROKEN)("%s blocks", (_, changed) => {
  const armed = armHome([denying()]);
  change(armed, changed);
  expect(["live", "silent", "paused"]).not.toContain(stateOf(armed));
});

test.each([
  "mode",
  "hooks",
  "askFallback",
  "expiresAt",
  "onYank",
  "runtimes",
  "revokedAt",
  "card",
  "approved",
] as const)("a consent without %s blocks", (field) => {
  const armed = armHome([denying()]);
  const grants = armed.ledger.grants.map(({ [field]: _, ...rest }) => rest);
  armed.writeLedger({ ...armed.ledger, grants });
  expect(stateOf(armed)).toMatch(/malformed/u);
});

const UNSAFE: [string, (armed: ArmedHome) => void, RegExp][] = [
  ["that others may change", (armed) => fs.chmodSync(armed.ledgerFile, 0o620), /can be changed by other users/u],
  [
    "in a folder that others may change",
    (armed) => fs.chmodSync(folderOf(armed), 0o777),
    /folder that can be changed/u,
  ],
  ["that is a link", (armed) => moveBehindLink(armed.ledgerFile), /is a symbolic link/u],
  ["in a folder that is a link", (armed) => moveBehindLink(folderOf(armed)), /folder that is a symbolic link/u],
];

function folderOf({ ledgerFile }: ArmedHome): string {
  return path.dirname(ledgerFile);
}

function moveBehindLink(file: string): void {
  fs.renameSync(file, `${file}-moved`);
  fs.symlinkSync(`${file}-moved`, file);
}

test.each(UNSAFE)("a ledger %s blocks", (_, spoil, says) => {
  const armed = armHome([denying()]);
  spoil(armed);
  expect(stateOf(armed)).toMatch(says);
});

test.runIf(process.getuid?.() === 0)("a ledger of another user blocks", () => {
  const armed = armHome([denying()]);
  fs.chownSync(armed.ledgerFile, 12345, 12345);
  expect(stateOf(armed)).toMatch(/belongs to another user/u);
});

test("a ledger of another version of drwn blocks, and says that it is one", () => {
  const armed = armHome([denying()]);
  armed.writeLedger({ ...armed.ledger, version: 1 });
  expect(stateOf(armed)).toMatch(/was written by another version of drwn/u);
});

describe("through the hook process", () => {
  test("a shadow is asked and journaled, and neither its deny nor its failure nor its rewrite is applied", () => {
    const rewrite = `{ beforeToolCall: () => ({ action: "allow", updatedInput: { command: "x" }, additionalContext: "c" }) }`;
    const armed = armHome([
      denying({ hook: "denies", mode: "shadow" }),
      { hook: "breaks", mode: "shadow", policy: `{ beforeToolCall: () => { throw new Error("x"); } }` },
      { hook: "rewrites", mode: "shadow", policy: rewrite },
    ]);
    expect(verdictOf(armed.call())).toBe("silence");
    expect(armed.journal()).toMatchObject([
      {
        verdict: "allow",
        policies: [
          { policy: "@me/guards@1.2.3#denies", mode: "shadow", decision: "deny", applied: false },
          { mode: "shadow", failure: expect.stringContaining("x"), applied: false },
          { mode: "shadow", decision: "allow", applied: false },
        ],
      },
    ]);
  });

  test("a shadow that is slow takes no time from a guard, and a broken event does not block for its sake", () => {
    const armed = armHome([
      { card: "@a/slow", mode: "shadow", timeoutMs: 100, policy: "{ beforeToolCall: () => { for (;;); } }" },
      denying({ card: "@b/guard" }),
    ]);
    expect(reasonOf(armed.call())).toBe("[@b/guard#guard-1] no");
    expect(armed.journal()).toMatchObject([{ policies: [{ policy: "@b/guard@1.2.3#guard-1" }] }]);
    const alone = armHome([denying({ mode: "shadow" })]);
    expect(verdictOf(alone.call({}, { input: "{" }))).toBe("silence");
  });

  test("what may only say no says it, and nothing that it would let through or add arrives", () => {
    const mode = "restrict-only";
    const policy = `{ beforeToolCall: ({ input }) => input.command === "rm" ? { action: "deny", reason: "no rm" }
      : { action: "allow", updatedInput: { command: "x" }, additionalContext: "c" } }`;
    const armed = armHome([{ mode, policy }]);
    expect(verdictOf(armed.call())).toBe("silence");
    expect(reasonOf(armed.call({ tool_input: { command: "rm" } }))).toBe("[@me/guards#guard-0] no rm");
    expect(armed.journal()).toMatchObject([{ policies: [{ applied: false }] }, { policies: [{ applied: true }] }]);
  });

  test("a pause lets every call through and leaves a line for each, also where the plan is damaged", () => {
    const armed = armHome([denying()]);
    const pausedUntil = new Date(Date.now() + 60_000).toISOString();
    armed.writeLedger({ ...armed.ledger, pausedUntil });
    fs.rmSync(armed.planFile);
    expect(verdictOf(armed.call())).toBe("silence");
    expect(armed.journal()).toMatchObject([{ tool: "Bash", problem: `all policies are paused until ${pausedUntil}` }]);
    armed.writeLedger({ ...armed.ledger, pausedUntil: new Date(Date.now() - 1).toISOString() });
    expect(verdictOf(armed.call())).toBe("deny");
  });
});
