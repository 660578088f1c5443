import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { type Exception, factsText, type OptionDeclarations } from "../../../src/contract/ledger.ts";
import { type Plan, POLICIES_IN_ONE_PLAN } from "../../../src/contract/plan.ts";
import type { EventText } from "../../../src/hook/enter/event.ts";
import { digestOfCall, findException } from "../../../src/hook/exceptions/exceptions.ts";
import { loadState } from "../../../src/hook/verify/load-state.ts";
import { PLAN_FIELDS } from "../../../src/hook/verify/plan-shape.ts";
import { findDamage } from "../../../src/hook/verify/read-policy.ts";
import { digestOf } from "../../../src/kernel/digest.ts";
import { ledgerSchema, readLedger } from "../../../src/trust/ledger-file.ts";
import { type ArmedHome, armHome, write } from "../../support/armed-home.ts";
import { fieldsOf } from "../../support/fields.ts";
import { eventOf, verdictOf } from "../../support/hook-calls.ts";
import { isField, mutate, REMOVED } from "../../support/mutate.ts";
import { problemOf } from "../../support/problems.ts";
import { sweep } from "../../support/sweep.ts";

/**
 * What a tool call comes to after one field of the machine's own records was changed. `active`: as before. `limited`: in a
 * mode that applies less. `excepted`: as before, and the call that a person excepted goes through. `silent`: the policy is out
 * of force by a person's word. `blocked`: no call is let through.
 */
type Outcome = "active" | "excepted" | "limited" | "silent" | "paused" | "blocked";
/** The field, what becomes of it, and what the hook makes of that. */
type Row = [path: string, value: unknown, outcome: Outcome];

const NOW = Date.parse("2026-05-01T00:00:00.000Z");
const [PAST, SOON, FAR] = ["2026-04-01T00:00:00.000Z", "2026-05-01T01:00:00.000Z", "2027-01-01T00:00:00.000Z"];
const KEY = `ed25519:${"A".repeat(43)}`;
const DIGEST = digestOf("another");
const TREE = `drwn1-sha512-${"A".repeat(86)}`;
const APPROVED = "grants[].approved[]";
const OPTIONS: OptionDeclarations = {
  level: { type: "enum", values: ["ask", "deny"], default: "ask", description: "What." },
};

const both = (path: string, value: unknown, outcome: Outcome): Row[] => [
  [path, value, outcome],
  [path, REMOVED, outcome],
];

const LEDGER: readonly Row[] = [
  ...both("version", 3, "blocked"),
  ...both("sequence", 9, "active"),
  ...both("project", {}, "active"),
  ...both("project.path", "/elsewhere", "active"),
  ...both("project.gitCommonDir", "/elsewhere", "active"),
  ...both("project.gitPath", "x", "active"),
  ...both("project.inode", "1:1", "active"),
  ...both("plan", DIGEST, "blocked"),
  ["plan", null, "silent"],
  ["pausedUntil", SOON, "paused"],
  ["pausedUntil", PAST, "active"],
  ...both("pausedUntil", FAR, "blocked"),
  ...both("grants", {}, "blocked"),
  ["grants", [], "blocked"],
  ...both("grants[].card", "@me/other", "blocked"),
  ...both("grants[].source", "folder:team", "active"),
  ...both("grants[].publisher", KEY, "active"),
  ...both("grants[].range", "*", "active"),
  ...both("grants[].grantedAt", FAR, "active"),
  ["grants[].revokedAt", PAST, "silent"],
  ...both("grants[].revokedAt", "never", "blocked"),
  ["grants[].mode", "restrict-only", "limited"],
  ["grants[].mode", "shadow", "limited"],
  ...both("grants[].mode", "off", "blocked"),
  ["grants[].hooks", ["guard-0"], "active"],
  ["grants[].hooks", [], "silent"],
  ...both("grants[].hooks", "guard-0", "blocked"),
  ["grants[].askFallback", "deny", "active"],
  ...both("grants[].askFallback", "maybe", "blocked"),
  ["grants[].expiresAt", PAST, "silent"],
  ["grants[].expiresAt", SOON, "active"],
  ...both("grants[].expiresAt", "soon", "blocked"),
  ["grants[].onYank", "stand-down", "active"],
  ["grants[].runtimes", ["codex"], "active"],
  ...both("grants[].runtimes", "codex", "blocked"),
  ...both("grants[].onYank", "x", "blocked"),
  ...both("grants[].ceiling", {}, "active"),
  ...["kind", "matcher", "phases", "timeoutMs", "capabilities"].flatMap((fact) =>
    both(`grants[].ceiling.*.${fact}`, "x", "active"),
  ),
  ...both("grants[].ceiling.*", {}, "active"),
  ...both("grants[].ceiling.*.options", "x", "active"),
  ...both("grants[].ceiling.*.options.*", "x", "active"),
  // What is not set is as the card declares it; what is set has to be what a person could set.
  ["grants[].options", {}, "active"],
  ["grants[].options", REMOVED, "active"],
  ["grants[].options", null, "blocked"],
  ["grants[].options", "x", "blocked"],
  ["grants[].options.*", {}, "active"],
  ["grants[].options.*", REMOVED, "active"],
  ["grants[].options.*", ["deny"], "blocked"],
  ["grants[].options.*.*", "ask", "active"],
  ["grants[].options.*.*", REMOVED, "active"],
  ["grants[].options.*.*", "off", "blocked"],
  ["grants[].options.*.*", false, "blocked"],
  ["grants[].options.*.*", null, "blocked"],
  // No skill is the hook's affair: that none reaches an agent unapproved is what `write` sees to.
  ...both("grants[].skills", "x", "active"),
  ...both("grants[].skills.*", "x", "active"),
  ...both("grants[].approved", [], "blocked"),
  ...both(`${APPROVED}.cardVersion`, "1.2.4", "blocked"),
  ...both(`${APPROVED}.tree`, "other", "active"),
  ...both(`${APPROVED}.publisher`, KEY, "blocked"),
  ...both(`${APPROVED}.bundles`, {}, "blocked"),
  ...both(`${APPROVED}.bundles.*`, DIGEST, "blocked"),
  ...both(`${APPROVED}.hooks`, [], "blocked"),
  ...both(`${APPROVED}.hooks[].name`, "other", "blocked"),
  ...both(`${APPROVED}.hooks[].kind`, "observer", "blocked"),
  ...both(`${APPROVED}.hooks[].matcher`, "Bash", "blocked"),
  ...both(`${APPROVED}.hooks[].phases`, ["post-tool"], "blocked"),
  ...both(`${APPROVED}.hooks[].timeoutMs`, 1, "blocked"),
  ...both(`${APPROVED}.hooks[].capabilities`, ["exec"], "blocked"),
  [`${APPROVED}.hooks[].options`, {}, "blocked"],
  [`${APPROVED}.hooks[].options`, [], "blocked"],
  [`${APPROVED}.hooks[].options`, null, "blocked"],
  // A hook without options is an ordinary one: that its card declared some is known to the ledger alone.
  [`${APPROVED}.hooks[].options`, REMOVED, "active"],
  ...both(`${APPROVED}.hooks[].options.*`, {}, "blocked"),
  [`${APPROVED}.hooks[].options.*`, { ...OPTIONS["level"], default: "off" }, "blocked"],
  [`${APPROVED}.hooks[].options.*`, { ...OPTIONS["level"], type: "x" }, "blocked"],
  ...both(`${APPROVED}.skills`, "x", "active"),
  ...both(`${APPROVED}.skills.*`, "x", "active"),
  [`${APPROVED}.restrictOnly`, true, "limited"],
  ...both(`${APPROVED}.restrictOnly`, "yes", "blocked"),
  ...both(`${APPROVED}.by`, "range", "active"),
  ...both(`${APPROVED}.at`, FAR, "active"),
  [`${APPROVED}.yankedAt`, PAST, "active"],
  ...both(`${APPROVED}.yankedAt`, "x", "blocked"),
  // Without the exception, or with one that is about something else, the policy judges the call.
  ["exceptions", [], "active"],
  ["exceptions", REMOVED, "active"],
  ["exceptions", null, "active"],
  ["exceptions", {}, "blocked"],
  ["exceptions", [null], "blocked"],
  ["exceptions[].id", "ba9876543210", "excepted"],
  ...both("exceptions[].id", "../x", "blocked"),
  ["exceptions[].card", "@me/other", "active"],
  ...both("exceptions[].card", null, "blocked"),
  ["exceptions[].hook", "other", "active"],
  ...both("exceptions[].hook", null, "blocked"),
  ["exceptions[].facts", "other", "active"],
  ...both("exceptions[].facts", null, "blocked"),
  ["exceptions[].call", DIGEST, "active"],
  ["exceptions[].call", null, "active"],
  ...both("exceptions[].call", 1, "blocked"),
  ...both("exceptions[].like", {}, "blocked"),
  ["exceptions[].like.folder", "/elsewhere", "active"],
  ...both("exceptions[].like.folder", null, "blocked"),
  ["exceptions[].like.words", ["rm"], "active"],
  ["exceptions[].like.words", [], "active"],
  ...both("exceptions[].like.words", "ls", "blocked"),
  ["exceptions[].isOnce", false, "excepted"],
  ...both("exceptions[].isOnce", "no", "blocked"),
  ["exceptions[].session", "session-2", "active"],
  ["exceptions[].session", null, "excepted"],
  ...both("exceptions[].session", 1, "blocked"),
  ["exceptions[].expiresAt", PAST, "active"],
  ["exceptions[].expiresAt", null, "excepted"],
  ...both("exceptions[].expiresAt", "soon", "blocked"),
  // Words for a person.
  ...both("exceptions[].reason", "other", "excepted"),
  ...both("exceptions[].at", FAR, "excepted"),
];

/** With a ledger that names the changed plan: that its digest is another one is not what is noticed here. */
const PLAN: readonly Row[] = [
  ...both("version", 3, "blocked"),
  ...both("project", "/elsewhere", "active"),
  ...both("policies", {}, "blocked"),
  ["policies", [], "silent"],
  ...both("policies[].card", "@me/other", "blocked"),
  ...both("policies[].cardVersion", "1.2.4", "blocked"),
  ...both("policies[].hook", "other", "blocked"),
  ...both("policies[].kind", "observer", "blocked"),
  ["policies[].mode", "shadow", "blocked"],
  ...both("policies[].mode", "restrict-only", "blocked"),
  ["policies[].askFallback", "deny", "active"],
  ...both("policies[].askFallback", "x", "blocked"),
  ...both("policies[].publisher", KEY, "blocked"),
  // What the matcher compiles to is known to the plan alone, whose digest holds it.
  ["policies[].match", "^Never$", "active"],
  ...both("policies[].match", 1, "blocked"),
  ...both("policies[].matcher", "Never", "blocked"),
  ...both("policies[].phases", ["post-tool"], "blocked"),
  ["policies[].timeoutMs", 30_001, "blocked"],
  ...both("policies[].timeoutMs", 1, "blocked"),
  ...both("policies[].capabilities", ["exec"], "blocked"),
  ...both("policies[].bundle", DIGEST, "blocked"),
];

/** The same for a plan that is kept in shards, with policies enough for it. */
const SHARDED: readonly Row[] = [
  ...both("version", 3, "blocked"),
  ...both("project", "/elsewhere", "active"),
  ...both("cards", {}, "blocked"),
  // Every policy is compared with its consent all the same.
  ["cards", [], "active"],
  ...both("cards[].card", "@me/other", "blocked"),
  ...both("cards[].cardVersion", "1.2.4", "blocked"),
  ...both("cards[].publisher", KEY, "blocked"),
  ["cards[].mode", "shadow", "blocked"],
  ...both("cards[].mode", "x", "blocked"),
  ["cards[].hooks", ["guard-0"], "blocked"],
  ["cards[].hooks", [], "active"],
  ["cards[].hooks", REMOVED, "blocked"],
  ...both("shards", {}, "blocked"),
  ["shards", [], "blocked"],
  ...both("shards[].phase", "never", "blocked"),
  // Which events a shard is for is known to the plan alone, whose digest holds it.
  ["shards[].phase", "post-tool", "active"],
  ...both("shards[].tool", 1, "blocked"),
  ...both("shards[].match", 1, "blocked"),
  ...both("shards[].matcher", 1, "blocked"),
  ...both("shards[].digest", DIGEST, "blocked"),
];

function armMany(): ArmedHome {
  const policy = `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }`;
  return armHome(Array.from({ length: POLICIES_IN_ONE_PLAN + 1 }, () => ({ policy })));
}

function arm(): ArmedHome {
  return armHome([{ policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }`, options: OPTIONS }]);
}

function outcomeOf(armed: ArmedHome): Outcome {
  const state = loadState(armed, NOW);
  if (state.kind === "damaged") return "blocked";
  if (state.kind !== "live") return state.kind;
  const [policy] = state.policies;
  if (policy === undefined || findDamage(armed, policy) !== undefined) return "blocked";
  if (policy.mode !== "enforce") return "limited";
  const call = callIn(armed);
  return findException(armed, policy.exceptions ?? [], call) === null ? "active" : "excepted";
}

/** The call that `armed.call()` sends. */
function callIn({ project }: ArmedHome): EventText {
  const { tool_input: input, tool_name: toolName, session_id: session } = eventOf("pre", project);
  return { toolName, input: JSON.stringify(input), cwd: project, session } as EventText;
}

/** A person's word that lets the call through, once: exactly this one, or by a pattern. */
function exceptionFor(armed: ArmedHome, isByPattern: boolean): Exception {
  const facts = armed.ledger.grants[0]?.approved[0]?.hooks[0];
  if (facts === undefined) throw new Error("no hook");
  return {
    ...{ id: "0123456789ab", card: "@me/guards", hook: "guard-0", facts: factsText(facts) },
    call: isByPattern ? null : digestOfCall(callIn(armed)),
    like: isByPattern ? { folder: armed.project, words: ["ls"] } : null,
    ...{ isOnce: true, session: "session-1", expiresAt: FAR, reason: "", at: PAST },
  };
}

function editLedger(armed: ArmedHome, path: string, value: unknown): void {
  const ledger: unknown = JSON.parse(JSON.stringify(armed.ledger));
  mutate(ledger, "grants[].skills", { review: DIGEST });
  mutate(ledger, `${APPROVED}.skills`, { review: TREE });
  mutate(ledger, "grants[].options", { "guard-0": { level: "deny" } });
  if (path.startsWith("exceptions")) {
    mutate(ledger, "exceptions", [exceptionFor(armed, path.startsWith("exceptions[].like."))]);
  }
  mutate(ledger, path, value);
  armed.writeLedger(ledger);
}

function editPlan(armed: ArmedHome, path: string, value: unknown, isNamed: boolean): void {
  const plan: Plan = JSON.parse(fs.readFileSync(armed.planFile, "utf8"));
  mutate(plan, path, value);
  const text = JSON.stringify(plan);
  if (!isNamed) fs.writeFileSync(armed.planFile, text);
  else {
    write(layout.plan(armed.home, armed.key, digestOf(text)), text);
    armed.writeLedger({ ...armed.ledger, plan: digestOf(text) });
  }
}

const named = (rows: readonly Row[]) =>
  rows.map(
    ([path, value, outcome]) => [path, value === REMOVED ? "removed" : JSON.stringify(value), outcome, value] as const,
  );
const pathsIn = (rows: readonly Row[]) => [...new Set(rows.map(([path]) => path))].sort();
const REMOVALS = pathsIn(LEDGER.filter(([, value]) => value === REMOVED));

describe("the ledger", () => {
  test("has a row for every field, and for its absence", () => {
    expect(pathsIn(LEDGER)).toEqual(fieldsOf(ledgerSchema).filter(isField));
    expect(REMOVALS).toEqual(pathsIn(LEDGER));
  });

  test.each(sweep(named(LEDGER), 60))("whose %s is %s: %s", (path, _, outcome, value) => {
    const armed = arm();
    editLedger(armed, path, value);
    expect(outcomeOf(armed)).toBe(outcome);
  });

  // A record or list may lack what it does not have to hold: then there is none.
  test.each(REMOVALS.filter((path) => !/(?:\.\*|skills|options|exceptions)$/u.test(path)))(
    "without %s is refused by every command",
    async (path) => {
      const armed = arm();
      editLedger(armed, path, REMOVED);
      expect((await problemOf(() => readLedger(armed.home, armed.key))).code).toBe("DRWN_LEDGER_INVALID");
    },
  );

  const OPTION = `${APPROVED}.hooks[].options.*.`;
  const EXCEPTION = ["exceptions[].", "exceptions[].like."];
  test.each([
    ...["", "project.", "grants[].", `${APPROVED}.`, `${APPROVED}.hooks[].`, "grants[].ceiling.*.", OPTION],
    ...EXCEPTION,
  ])("with a field more in `%s` is refused by every command, and the hook does not go by it", async (owner) => {
    const armed = arm();
    editLedger(armed, `${owner}trusted`, true);
    expect((await problemOf(() => readLedger(armed.home, armed.key))).code).toBe("DRWN_LEDGER_INVALID");
    expect(outcomeOf(armed)).toBe(EXCEPTION.includes(owner) ? "excepted" : "active");
  });
});

describe("the plan", () => {
  test("has a row for every field, and for its absence", () => {
    const fields = [
      "policies",
      "project",
      "version",
      ...PLAN_FIELDS.policies.map((field) => `policies[].${field}`),
    ].sort();
    expect(pathsIn(PLAN)).toEqual(fields);
    expect(pathsIn(PLAN.filter(([, value]) => value === REMOVED))).toEqual(fields);
  });

  test.each(sweep(named(PLAN), 40))(
    "whose %s is %s: blocked by its digest, and with a ledger that names it %s",
    (path, _, outcome, value) => {
      const [raw, consistent] = [arm(), arm()];
      editPlan(raw, path, value, false);
      expect(outcomeOf(raw)).toBe("blocked");
      editPlan(consistent, path, value, true);
      expect(outcomeOf(consistent)).toBe(outcome);
    },
  );
});

describe("a plan in shards", () => {
  test("has a row for every field, and for its absence", () => {
    const own = (["cards", "shards"] as const).flatMap((part) =>
      PLAN_FIELDS[part].map((field) => `${part}[].${field}`),
    );
    const fields = ["cards", "project", "shards", "version", ...own].sort();
    expect(pathsIn(SHARDED)).toEqual(fields);
    expect(pathsIn(SHARDED.filter(([, value]) => value === REMOVED))).toEqual(fields);
  });

  test("whose any field is changed is blocked by its digest, and with a ledger that names it nothing is lost in silence", () => {
    const armed = armMany();
    const before = fs.readFileSync(armed.planFile);
    const outcomes = named(SHARDED).map(([path, what, , value]) => {
      editPlan(armed, path, value, false);
      expect(outcomeOf(armed)).toBe("blocked");
      fs.writeFileSync(armed.planFile, before);
      editPlan(armed, path, value, true);
      const outcome = outcomeOf(armed);
      armed.writeLedger(armed.ledger);
      return `${path} ${what}: ${outcome}`;
    });
    expect(outcomes).toEqual(named(SHARDED).map(([path, what, outcome]) => `${path} ${what}: ${outcome}`));
  });
});

const BUNDLE: [string, (file: string) => void][] = [
  ["changed", (file) => fs.writeFileSync(file, "exports.default = {};")],
  ["removed", (file) => fs.rmSync(file)],
  ["longer by one byte", (file) => fs.appendFileSync(file, " ")],
  ["empty", (file) => fs.writeFileSync(file, "")],
];

test.each(BUNDLE)("a compiled policy that is %s blocks", (_, harm) => {
  const armed = arm();
  harm(armed.bundleFile("guard-0"));
  expect(outcomeOf(armed)).toBe("blocked");
});

/** A few of all, spread over the tables, through the process that an agent starts. */
const SPREAD = LEDGER.filter(([, value], at) => at % 11 === 5 && value !== SOON);
const VERDICTS: Record<Outcome, string> = {
  active: "deny",
  excepted: "silence",
  limited: "silence",
  silent: "silence",
  paused: "silence",
  blocked: "deny",
};

test.each(named(SPREAD))("through the hook process, a ledger whose %s is %s: %s", (path, _, outcome, value) => {
  const armed = arm();
  editLedger(armed, path, value);
  const isLimited = value === "restrict-only" || path.endsWith("restrictOnly");
  expect(verdictOf(armed.call())).toBe(outcome === "limited" && isLimited ? "deny" : VERDICTS[outcome]);
});
