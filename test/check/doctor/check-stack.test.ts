import { describe, expect, test } from "vitest";
import { compileMatcher } from "../../../src/card/matcher.ts";
import { checkStack } from "../../../src/check/doctor/check-stack.ts";
import type { PlannedPolicy } from "../../../src/contract/plan.ts";
import { drwn } from "../../../src/kernel/advice.ts";
import { newJournal, type TestJournal } from "../../support/journals.ts";
import { somePlanned } from "../../support/policies.ts";

const planned = (hook: string, fields: Partial<PlannedPolicy> = {}): PlannedPolicy =>
  somePlanned({
    card: "@me/guards",
    hook,
    match: fields.matcher == null ? null : compileMatcher(fields.matcher),
    timeoutMs: 1_000,
    ...fields,
  });
const name = (hook: string) => `@me/guards@1.0.0#${hook}`;
const lint = (policies: PlannedPolicy[], { home, key }: TestJournal = newJournal()) =>
  checkStack({ home, key, policies, runtimes: ["claude-code"] }).map(({ code, subject }) => `${code} ${subject}`);

describe("a matcher", () => {
  test.each(["Bash", "{Bash,Write}", "Bash|mcp__github__*", "mcp__*", "*", "*Edit", "Notebook*"])(
    "%s is in order",
    (matcher) => {
      expect(lint([planned("a", { matcher })])).toEqual([]);
    },
  );

  test.each(["bash", "Bsh", "{Reed,Wriite}", "Bas?h"])("%s matches no tool of the agents", (matcher) => {
    expect(lint([planned("a", { matcher })])).toEqual([`matcher-matches-nothing ${name("a")}`]);
  });

  test("is told of the one name in it that no tool has", () => {
    expect(lint([planned("a", { matcher: "{Bash,Wriite}" })])).toEqual([`matcher-names-unknown-tool ${name("a")}`]);
  });

  test("of a hook on a request for permission is about tools, and of other events is not", () => {
    const at = (phase: "approval.before" | "session.start", matcher: string) =>
      planned("a", { matcher, phases: [phase] });
    expect(lint([at("approval.before", "Bsh")])).toEqual([`matcher-matches-nothing ${name("a")}`]);
    expect(lint([at("approval.before", "Bash")])).toEqual([]);
    expect(lint([at("session.start", "resume")])).toEqual([]);
  });

  test("is not in order because a lifecycle event was about something of its name", () => {
    const journal = newJournal();
    journal.begin({ phase: "session.start", tool: "resume" })();
    expect(lint([planned("a", { matcher: "resume" })], journal)).toEqual([`matcher-matches-nothing ${name("a")}`]);
  });

  test("may mean a tool that was called once, of whatever kind", () => {
    const journal = newJournal();
    journal.begin({ tool: "Brandnew" })();
    expect(lint([planned("a", { matcher: "Brandnew" })], journal)).toEqual([]);
  });
});

describe("the time of policies", () => {
  test("is found to add up beyond what all of them have, for the tool where it takes longest", () => {
    const two = [planned("a", { timeoutMs: 30_000, matcher: "Bash" }), planned("b", { timeoutMs: 21_000 })];
    expect(lint(two)).toEqual(["deadlines-add-up Bash"]);
    expect(lint([planned("a", { timeoutMs: 30_000 }), planned("b", { timeoutMs: 21_000 })])).toHaveLength(1);
  });

  test("is found to add up at a lifecycle event", () => {
    const at = (hook: string, phase: "prompt.submit" | "turn.stop") =>
      planned(hook, { timeoutMs: 30_000, phases: [phase] });
    expect(lint([at("a", "prompt.submit"), at("b", "prompt.submit")])).toEqual(["deadlines-add-up prompt.submit"]);
    expect(lint([at("a", "prompt.submit"), at("b", "turn.stop"), planned("c", { timeoutMs: 30_000 })])).toEqual([]);
  });

  test.each<[string, Partial<PlannedPolicy>]>([
    ["for different tools", { matcher: "Read" }],
    ["after the call", { phases: ["post-tool"] }],
    ["as shadows", { mode: "shadow" }],
    ["up to the limit", { timeoutMs: 20_000 }],
  ])("does not add up %s", (_, fields) => {
    expect(
      lint([planned("a", { timeoutMs: 30_000, matcher: "Bash" }), planned("b", { timeoutMs: 30_000, ...fields })]),
    ).toEqual([]);
  });
});

describe("the journal shows", () => {
  test("that somebody was to be asked where the agent asks nobody, and what that came to", () => {
    const journal = newJournal();
    const ask = (hook: string, carried: "allow" | "ask" | "deny") => [
      { policy: name(hook), answer: { action: "ask", reason: "sure?" } as const, carried },
    ];
    journal.begin({ phase: "prompt.submit", tool: null })({}, ask("a", "allow"));
    journal.begin({ runtime: "codex" })({}, ask("b", "allow"));
    journal.begin({})({}, ask("c", "ask"));
    journal.begin({ runtime: "codex" })({}, ask("d", "deny"));
    const policies = ["a", "b", "c", "d"].map((hook) => planned(hook));
    expect(lint(policies, journal)).toEqual([`ask-let-through ${name("a")}`, `ask-let-through ${name("b")}`]);
    const [first] = checkStack({ ...journal, policies, runtimes: ["claude-code"] });
    expect(first).toMatchObject({
      message: expect.stringContaining("prompt.submit in claude-code"),
      hint: drwn("card trust", "@me/guards", "--hooks", "--ask-fallback", "deny"),
    });
  });

  test("no ask that was let through by other terms than its consent has since", () => {
    const journal = newJournal();
    const ask = (carried: "allow" | "log-only") => [
      { policy: name("a"), answer: { action: "ask", reason: "sure?" } as const, carried },
    ];
    const asking = [planned("a", { askFallback: "deny" })];
    journal.begin({ runtime: "codex" })({}, ask("allow"));
    expect(lint(asking, journal)).toEqual([]);
    journal.begin({ phase: "session.start", tool: null })({}, ask("log-only"));
    expect(lint(asking, journal)).toEqual([`ask-let-through ${name("a")}`]);
  });
});
