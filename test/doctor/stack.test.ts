import { describe, expect, test } from "vitest";
import { compileMatcher } from "../../src/card/matcher.ts";
import type { PlannedPolicy } from "../../src/contract/plan.ts";
import { checkStack } from "../../src/doctor/check-stack.ts";
import { newJournal, type TestJournal } from "../support/journals.ts";
import { somePlanned } from "../support/policies.ts";

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

  test("of a hook on a request for permission is about tools, and of other moments is not", () => {
    const at = (phase: "approval.before" | "session.start", matcher: string) =>
      planned("a", { matcher, phases: [phase] });
    expect(lint([at("approval.before", "Bsh")])).toEqual([`matcher-matches-nothing ${name("a")}`]);
    expect(lint([at("approval.before", "Bash")])).toEqual([]);
    expect(lint([at("session.start", "resume")])).toEqual([]);
  });

  test("is not in order because a moment of the session was about something of its name", () => {
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

  test("is found to add up at a moment of the session", () => {
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
  const rewriting = (hook: string) => ({
    policy: name(hook),
    answer: { action: "allow", updatedInput: "{}" } as const,
  });

  test("two policies that rewrite the same tool", () => {
    const journal = newJournal();
    journal.begin()({}, [rewriting("a")]);
    journal.begin()({}, [rewriting("b")]);
    expect(lint([planned("a"), planned("b")], journal)).toEqual(["rewrites-meet Bash"]);
    expect(lint([planned("a")], journal)).toEqual([]);
  });

  test.each([
    ["was only noted, as an observer's", { isApplied: false }],
    ["the agent could not carry, and blocked", { carried: "deny" } as const],
  ])("no conflict with a rewrite that %s", (_, more) => {
    const journal = newJournal();
    journal.begin()({}, [rewriting("a"), { ...rewriting("b"), ...more }]);
    expect(lint([planned("a"), planned("b")], journal)).toEqual([]);
  });

  test("two hooks that rewrite what the same moment is about", () => {
    const journal = newJournal();
    for (const hook of ["a", "b"]) journal.begin({ phase: "model.resolve", tool: "big" })({}, [rewriting(hook)]);
    const at = (hook: string) => planned(hook, { phases: ["model.resolve"] });
    expect(lint([at("a"), at("b")], journal)).toEqual(["rewrites-meet model.resolve"]);
  });

  test("after ten prompts that one hook rejected that another wasn't asked", () => {
    const journal = newJournal();
    const ruling = { rule: "deny", by: name("a"), reason: "no", context: 0, updatedInput: null } as const;
    const said = [{ policy: name("a"), answer: { action: "deny", reason: "no" } as const }];
    const at = (hook: string, phase: "prompt.submit" | "turn.stop") => planned(hook, { phases: [phase] });
    for (let i = 0; i < 10; i++)
      journal.begin({ phase: "prompt.submit", tool: null })({ verdict: "deny", ruling }, said);
    expect(lint([at("a", "prompt.submit"), at("b", "prompt.submit"), at("c", "turn.stop")], journal)).toEqual([
      `policy-shadowed ${name("b")}`,
    ]);
  });

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
      hint: expect.stringContaining("--ask-fallback deny"),
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

  test("no conflict where the tools differ", () => {
    const journal = newJournal();
    journal.begin()({}, [rewriting("a")]);
    journal.begin({ tool: "Read" })({}, [rewriting("b")]);
    expect(lint([planned("a"), planned("b")], journal)).toEqual([]);
  });

  test.each([
    [10, [`policy-shadowed ${name("b")}`]],
    [9, []],
  ])("after %i denials by one policy that another wasn't asked", (times, findings) => {
    const journal = newJournal();
    const ruling = { rule: "deny", by: name("a"), reason: "no", context: 0, updatedInput: null } as const;
    const said = [{ policy: name("a"), answer: { action: "deny", reason: "no" } as const }];
    for (let i = 0; i < times; i++) journal.begin({ tool: "Bash" })({ verdict: "deny", ruling }, said);
    expect(lint([planned("a"), planned("b", { matcher: "Bash" })], journal)).toEqual(findings);
    // Its turn would come first, or the other one is not there any more.
    expect(lint([planned("b", { matcher: "Bash" }), planned("a")], journal)).toEqual([]);
    expect(lint([planned("b", { matcher: "Bash" })], journal)).toEqual([]);
    journal.begin({ tool: "Bash" })();
    expect(lint([planned("a"), planned("b", { matcher: "Bash" })], journal)).toEqual([]);
  });

  test("nothing of other policies where an agent tries one denied call again and again", () => {
    const journal = newJournal();
    const deny = (digest: string) => {
      const call = { digest, folder: "/p", session: "s" };
      const ruling = { rule: "deny", by: name("a"), reason: "no", context: 0, updatedInput: null, call } as const;
      const said = [{ policy: name("a"), answer: { action: "deny", reason: "no" } as const }];
      journal.begin({ tool: "Bash" })({ verdict: "deny", ruling }, said);
    };
    for (let i = 0; i < 20; i++) deny("1".repeat(64));
    expect(lint([planned("a"), planned("b")], journal)).toEqual([]);
    for (let i = 0; i < 9; i++) deny(`${i}a`.repeat(32));
    expect(lint([planned("a"), planned("b")], journal)).toEqual([`policy-shadowed ${name("b")}`]);
  });
});
