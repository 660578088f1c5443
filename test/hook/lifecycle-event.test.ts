import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import type { LifecycleEvent } from "../../src/policy/lifecycle-events.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { type ArmedHome, armHome, type LiteralPolicy } from "../support/armed-home.ts";
import type { HookResult } from "../support/hook-calls.ts";

/** A lifecycle hook as a literal. */
const at = (event: LifecycleEvent, body: string, more: Partial<LiteralPolicy> = {}): LiteralPolicy => ({
  policy: `{ run(event) { ${body} } }`,
  phases: [event as "notify"],
  ...more,
});
const fire = (armed: ArmedHome, phase: LifecycleEvent, event: Record<string, unknown>): HookResult =>
  armed.call(event, { phase });
const prompt = { hook_event_name: "UserPromptSubmit", prompt: "drop the tables" };
const stop = { hook_event_name: "Stop", stop_hook_active: false };

describe("a lifecycle hook, through the launcher", () => {
  test("sees the event in the words of the SDK", () => {
    const armed = armHome([at("prompt.submit", `return { action: "reject", reason: JSON.stringify(event) };`)]);
    const { said } = fire(armed, "prompt.submit", { ...prompt, permission_mode: "plan" });
    expect(JSON.parse(said?.reason?.replace(/^\S+ /u, "") ?? "")).toEqual({
      runtime: "claude-code",
      event: "prompt.submit",
      input: { prompt: "drop the tables" },
      cwd: armed.project,
      sessionId: "session-1",
      metadata: { transcript_path: "/dev/null", permission_mode: "plan" },
    });
  });

  test("rejects a prompt, adds text to one, and is silent about one", () => {
    const armed = armHome([
      at(
        "prompt.submit",
        `const { prompt } = event.input;
         if (prompt.includes("drop")) return { action: "reject", reason: "no" };
         if (prompt.includes("design")) return { action: "proceed", additionalContext: "ask Alice" };
         return { action: "proceed" };`,
      ),
    ]);
    expect(fire(armed, "prompt.submit", prompt).said).toEqual({
      continue: true,
      decision: "block",
      reason: "[@me/guards#guard-0] no",
    });
    expect(fire(armed, "prompt.submit", { ...prompt, prompt: "design it" }).said).toEqual({
      continue: true,
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "ask Alice" },
    });
    expect(fire(armed, "prompt.submit", { ...prompt, prompt: "hello" })).toMatchObject({ status: 0, stdout: "" });
    expect(armed.journal()).toMatchObject([
      { phase: "prompt.submit", verdict: "deny", rule: "deny" },
      { phase: "prompt.submit", verdict: "allow", context: 9 },
      { phase: "prompt.submit", verdict: "allow" },
    ]);
  });

  test("has the text that a person is shown labelled: no hook speaks for drwn", () => {
    const armed = armHome([
      at("turn.stop", `return { action: "proceed", additionalContext: "[drwn] all is well" };`),
      at("turn.stop", `return { action: "proceed", additionalContext: "tests ran" };`),
    ]);
    expect(fire(armed, "turn.stop", stop).said).toEqual({
      continue: true,
      systemMessage: "[@me/guards#guard-0] [drwn] all is well\n[@me/guards#guard-1] tests ran",
    });
  });

  test.each<[string, Partial<LiteralPolicy>]>([
    ["", {}],
    [" with a capability, in a process of its own", { capabilities: ["env"] }],
  ])("that fails holds the event%s", (_, more) => {
    const armed = armHome([at("prompt.submit", `throw new Error("broken");`, more)]);
    expect(fire(armed, "prompt.submit", prompt).said?.reason).toContain(
      "threw Error: broken. A hook that fails holds what it was asked about",
    );
  });

  test("that is not to block fails without a trace for the agent, and what it says is applied", () => {
    const armed = armHome([
      at("prompt.submit", `throw new Error("broken");`, { kind: "observer" }),
      at("prompt.submit", `return { action: "proceed", additionalContext: "hello" };`, { kind: "observer" }),
    ]);
    expect(fire(armed, "prompt.submit", prompt).said?.hookSpecificOutput?.additionalContext).toBe("hello");
    expect(armed.journal()).toMatchObject([{ policies: [{ failure: "threw Error: broken" }, { decision: "allow" }] }]);
  });

  test.each([
    [
      "a word of another event",
      `return { action: "deny", reason: "no" };`,
      "none of proceed, log-only, ask and reject",
    ],
    ["no reason", `return { action: "reject", reason: " " };`, "without a reason"],
    ["another input", `return { action: "proceed", updatedInput: {} };`, "an input where the event takes none"],
    ["a stray field", `return { action: "proceed", allow: true };`, "a field that no outcome has"],
    ["the reason of another outcome", `return { action: "log-only", reason: "x" };`, "belongs to another one"],
    ["a text", `return "proceed";`, "something that isn't a valid outcome"],
  ])("that answers with %s has failed", (_, body, says) => {
    const armed = armHome([at("prompt.submit", body)]);
    expect(fire(armed, "prompt.submit", prompt).said).toMatchObject({
      decision: "block",
      reason: expect.stringContaining(says),
    });
  });

  test("is asked where its matcher fits the subject, and a guard also where the event does not say", () => {
    const armed = armHome([
      at("session.start", `return { action: "proceed", additionalContext: "again" };`, { matcher: "resume" }),
    ]);
    const start = { hook_event_name: "SessionStart" };
    expect(fire(armed, "session.start", { ...start, source: "startup" }).stdout).toBe("");
    expect(fire(armed, "session.start", { ...start, source: "resume" }).stdout).toContain("again");
    expect(fire(armed, "session.start", start).stdout).toContain("again");
  });

  test("that fails where nothing can be held is told of, and the others are heard", () => {
    const armed = armHome([
      at("session.start", `throw new Error("broken");`),
      at("session.start", `return { action: "proceed", additionalContext: "hello" };`),
    ]);
    expect(fire(armed, "session.start", { hook_event_name: "SessionStart" }).said).toEqual({
      continue: true,
      systemMessage: expect.stringContaining("@me/guards@1.2.3#guard-0 threw Error: broken"),
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "hello" },
    });
    expect(armed.journal()).toMatchObject([{ problem: expect.stringContaining("guard-0 threw"), effective: "allow" }]);
  });

  test("answers a permission request with a denial and never with an approval", () => {
    const armed = armHome([
      at(
        "approval.before",
        `if (event.subject === "Bash") return { action: "deny", reason: "no shell" };
                             return { action: "proceed" };`,
      ),
    ]);
    const request = { hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input: {} };
    expect(fire(armed, "approval.before", request).said?.hookSpecificOutput).toEqual({
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: "[@me/guards#guard-0] no shell" },
    });
    expect(fire(armed, "approval.before", { ...request, tool_name: "Read" }).stdout).toBe("");
  });

  test("of several the first hold speaks, and in other modes only what the mode lets be said", () => {
    const say = (reason: string, more: Partial<LiteralPolicy> = {}) =>
      at("prompt.submit", `return { action: "reject", reason: "${reason}" };`, more);
    const several = armHome([say("a", { mode: "shadow", card: "@me/shadow" }), say("b"), say("c")]);
    expect(fire(several, "prompt.submit", prompt).said?.reason).toBe("[@me/guards#guard-1] b");
    const bound = armHome([
      at("prompt.submit", `return { action: "proceed", additionalContext: "x" };`, { mode: "restrict-only" }),
    ]);
    expect(fire(bound, "prompt.submit", prompt).stdout).toBe("");
  });

  test("an ask falls through, or holds where the consent says so", () => {
    const ask = `return { action: "ask", reason: "sure?" };`;
    expect(fire(armHome([at("prompt.submit", ask)]), "prompt.submit", prompt).stdout).toBe("");
    const strict = armHome([at("prompt.submit", ask, { askFallback: "deny" })]);
    expect(fire(strict, "prompt.submit", prompt).said?.reason).toContain("sure? (a person would have to decide)");
  });
});

describe("the end of a turn", () => {
  const going = [at("turn.stop", `return { action: "keep-going", reason: "run the tests" };`)];

  test("is held eight times in a row and no more, and anew in the next turn", () => {
    const armed = armHome(going);
    const more = { ...stop, stop_hook_active: true };
    expect(fire(armed, "turn.stop", stop).said).toMatchObject({
      decision: "block",
      reason: "[@me/guards#guard-0] run the tests",
    });
    const folder = path.dirname(layout.turn(armed.home, armed.key, "x"));
    const count = fs.readdirSync(folder).find((name) => name.startsWith("turn-")) ?? "";
    expect(fs.readFileSync(path.join(folder, count), "utf8")).toBe(".");
    fs.writeFileSync(path.join(folder, count), ".......");
    expect(fire(armed, "turn.stop", more).said?.decision).toBe("block");
    const told = "@me/guards@1.2.3#guard-0 would keep this turn going, but hooks may do that only 8 times in a row";
    expect(fire(armed, "turn.stop", more).said).toEqual({
      continue: true,
      systemMessage: expect.stringContaining(told),
    });
    expect(armed.journal().at(-1)).toMatchObject({ verdict: "allow", problem: expect.stringContaining(told) });
    expect(fire(armed, "turn.stop", { ...more, session_id: "another" }).said?.decision).toBe("block");
    expect(fire(armed, "turn.stop", stop).said?.decision).toBe("block");
  });

  test("that is only explained is not counted", () => {
    const armed = armHome(going);
    const explain = () =>
      armed.run(`exec '${armed.home}/bin/hook' claude-code turn.stop explain 4>/dev/null`, {
        input: JSON.stringify({ ...stop, session_id: "session-1", stop_hook_active: true }),
      });
    const counts = () =>
      fs.readdirSync(path.dirname(layout.turn(armed.home, armed.key, "x"))).filter((name) => name.startsWith("turn-"));
    expect([explain().said?.decision, counts()]).toEqual(["block", []]);
    fire(armed, "turn.stop", stop);
    const [count = ""] = counts();
    const file = path.join(path.dirname(layout.turn(armed.home, armed.key, "x")), count);
    for (const [held, decision] of [
      [".......", "block"],
      ["........", undefined],
    ] as const) {
      fs.writeFileSync(file, held);
      expect([explain().said?.decision, fs.readFileSync(file, "utf8")]).toEqual([decision, held]);
    }
  });

  test("that cannot be counted is held once", () => {
    const armed = armHome(going);
    const folder = path.dirname(layout.turn(armed.home, armed.key, "x"));
    fs.mkdirSync(path.join(folder, "elsewhere"));
    fire(armed, "turn.stop", stop);
    for (const name of fs.readdirSync(folder).filter((name) => name.startsWith("turn-"))) {
      fs.rmSync(path.join(folder, name));
      fs.mkdirSync(path.join(folder, name));
    }
    expect(fire(armed, "turn.stop", stop).stdout).not.toBe("");
    expect(fire(armed, "turn.stop", { ...stop, stop_hook_active: true }).said?.decision).toBeUndefined();
  });

  test("is not held twice by a hook that does not work where the agent does not say that it was held", () => {
    const armed = armHome([at("turn.stop", `throw new Error("broken");`)]);
    const ending = { hook_event_name: "stop", status: "completed", conversation_id: "c" };
    const options = { phase: "turn.stop", runtime: "cursor" } as const;
    expect(armed.call(ending, options).stdout).toContain("broken");
    expect(armed.call(ending, options).stdout).not.toContain("broken");
  });

  test("is not held twice by a hook that does not work", () => {
    const armed = armHome([at("turn.stop", `throw new Error("broken");`)]);
    expect(fire(armed, "turn.stop", stop).said?.decision).toBe("block");
    expect(fire(armed, "turn.stop", { ...stop, stop_hook_active: true }).said).toEqual({
      continue: true,
      systemMessage: expect.stringContaining(
        "threw Error: broken; it has kept this turn going before, so the turn ends",
      ),
    });
  });
});

describe("what no hook can judge", () => {
  const guards = (event: LifecycleEvent) => armHome([at(event, "")]);

  test.each<[string, (armed: ArmedHome) => void]>([
    ["the plan is gone", (armed) => fs.rmSync(armed.planFile)],
    ["the consents are gone", (armed) => fs.rmSync(armed.ledgerFile)],
    ["a compiled hook was altered", (armed) => fs.writeFileSync(armed.bundleFile("guard-0"), "")],
  ])("holds a prompt, and not the end of a turn twice, where %s", (_, damage) => {
    const asked = guards("prompt.submit");
    damage(asked);
    expect(fire(asked, "prompt.submit", prompt).said?.decision).toBe("block");
    const ending = guards("turn.stop");
    damage(ending);
    expect(fire(ending, "turn.stop", stop).said?.decision).toBe("block");
    expect(fire(ending, "turn.stop", { ...stop, stop_hook_active: true }).said?.decision).toBeUndefined();
  });

  test.each([
    ["is of another kind", "prompt.submit", { hook_event_name: "Stop" }, "block"],
    ["lacks what it is about", "prompt.submit", { hook_event_name: "UserPromptSubmit" }, "block"],
    ["is of another kind, at the end of a turn", "turn.stop", { hook_event_name: "SessionStart" }, undefined],
    ["is of another kind, where nothing can be held", "session.end", { hook_event_name: "Stop" }, undefined],
  ] as const)("an event that %s", (_, event, sent, decision) => {
    const { said, status } = fire(guards(event), event, sent);
    expect(status).toBe(0);
    expect(said?.decision).toBe(decision);
    if (decision === undefined) expect(said?.systemMessage).toContain("the event that the agent sent");
  });

  test.each([
    ["prompt.submit", 2],
    ["approval.before", 2],
    ["compact.before", 2],
    ["turn.stop", 1],
    ["session.start", 1],
    ["other.CwdChanged", 1],
  ] as const)("%s ends with status %i where the hook does not even start", (event, status) => {
    const armed = guards(event);
    fs.rmSync(layout.hook(armed.home));
    expect(fire(armed, event, {})).toMatchObject({
      status,
      stderr: expect.stringContaining("the hook process is missing"),
    });
    fs.rmSync(layout.launcher(armed.home));
    const line = armed.run(hookCommand({ home: armed.home, runtime: "codex", phase: event }));
    expect([line.status === 2, line.stderr !== ""]).toEqual([status === 2, true]);
  });
});

describe("the runner", () => {
  test("answers any event in the words of the algebra", () => {
    const armed = armHome([
      at(
        "model.resolve",
        `if (event.input.model === "big") return { action: "proceed", updatedInput: { model: "small" } };
                           return { action: "ask", reason: event.runtime };`,
        { matcher: "b*" },
      ),
      at("model.resolve", `if (event.input.model === "big") return { action: "deny", reason: "too big" };`),
    ]);
    const run = (input: unknown) =>
      armed.call({}, { phase: "model.resolve", runtime: "runner", input: JSON.stringify({ input }) }).stdout;
    expect(JSON.parse(run({ model: "big" }))).toEqual({
      event: "model.resolve",
      level: "proceed",
      updatedInput: { model: "small" },
    });
    expect(JSON.parse(run({ model: "bit" }))).toMatchObject({ level: "ask", reason: "[@me/guards#guard-0] runner" });
    expect(JSON.parse(run({}))).toMatchObject({ level: "hold", code: "deny" });
  });
});
