import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { targetsOf } from "../../src/agents/targets.ts";
import { layout } from "../../src/contract/layout.ts";
import type { AgentId } from "../../src/policy/event.ts";
import type { LifecycleEvent } from "../../src/policy/lifecycle-events.ts";
import type { PolicyTrigger } from "../../src/wiring/target.ts";
import { type ArmedHome, armHome, type LiteralPolicy } from "../support/armed-home.ts";
import type { HookResult } from "../support/hook-calls.ts";
import { planFor } from "./plan.ts";

const at = (event: LifecycleEvent, body: string): LiteralPolicy => ({
  policy: `{ run(event) { ${body} } }`,
  phases: [event as "notify"],
});

/** The commands that stand in the agent's settings, by event. */
function commandsOf(runtime: AgentId, { world, home }: ArmedHome, own: PolicyTrigger[]): Map<string, string> {
  const [target = expect.fail()] = targetsOf([runtime]);
  const { text } = planFor(target, own, { home: world, drwnHome: home });
  const hooks: Record<string, { bash?: string; command?: string; hooks?: { command: string }[] }[]> =
    JSON.parse(text).hooks ?? {};
  return new Map(
    Object.entries(hooks).map(([event, [entry]]) => [
      event,
      entry?.bash ?? entry?.command ?? entry?.hooks?.[0]?.command ?? "",
    ]),
  );
}

/** Each agent that is told by a file of hooks: an event that is held, as it is answered, and one with text. */
const AGENTS = [
  {
    runtime: "gemini-cli",
    prompt: "BeforeAgent",
    wire: { hook_event_name: "BeforeAgent", prompt: "drop it" },
    held: { decision: "deny", reason: "[@me/guards#guard-0] no" },
    told: { hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: "ask Alice" } },
    refused: { status: 0, said: { decision: "deny", reason: expect.stringContaining("the hook does not work") } },
  },
  {
    runtime: "copilot-cli",
    prompt: "userPromptSubmitted",
    wire: { sessionId: "s", prompt: "drop it" },
    held: { decision: "block", reason: "[@me/guards#guard-0] no" },
    told: { additionalContext: "ask Alice" },
    refused: { status: 0, said: { decision: "block", reason: expect.stringContaining("the hook does not work") } },
  },
  {
    runtime: "cursor",
    prompt: "beforeSubmitPrompt",
    wire: { hook_event_name: "beforeSubmitPrompt", prompt: "drop it" },
    held: { continue: false, user_message: "[@me/guards#guard-0] no" },
    // It takes no text there.
    told: undefined,
    refused: { status: 2, said: undefined },
  },
] as const;

describe.each(AGENTS)(
  "$runtime, through the entry in its settings",
  ({ runtime, prompt, wire, held, told, refused }) => {
    const hook = at(
      "prompt.submit",
      `if (event.input.prompt.includes("drop")) return { action: "reject", reason: "no" };
     if (event.input.prompt.includes("design")) return { action: "proceed", additionalContext: "ask Alice" };`,
    );
    const wants: PolicyTrigger[] = [{ matcher: null, phases: ["prompt.submit"] }];
    const ask = (armed: ArmedHome, event: object): HookResult =>
      armed.run(commandsOf(runtime, armed, wants).get(prompt) ?? "false", { input: JSON.stringify(event) });

    test("only what some hook wants is wired", () => {
      const armed = armHome([]);
      expect([...commandsOf(runtime, armed, wants).keys()]).toEqual([prompt]);
      expect(commandsOf(runtime, armed, []).size).toBe(0);
    });

    test("a prompt is held, added to, and let through in silence", () => {
      const armed = armHome([hook]);
      expect(ask(armed, wire).said).toEqual(held);
      expect(ask(armed, { ...wire, prompt: "design it" }).said).toEqual(told);
      expect(ask(armed, { ...wire, prompt: "hello" })).toMatchObject({ status: 0, stdout: "" });
      expect(armed.journal()).toMatchObject([
        { runtime, phase: "prompt.submit", verdict: "deny" },
        { verdict: "allow", ...(told === undefined ? {} : { context: 9 }) },
        { verdict: "allow" },
      ]);
    });

    test("a hook that fails holds the prompt, and so does one that does not even start", () => {
      const armed = armHome([at("prompt.submit", `throw new Error("broken");`)]);
      expect(JSON.stringify(ask(armed, wire).said)).toContain("threw Error: broken");
      rmSync(layout.hook(armed.home));
      expect(ask(armed, wire)).toMatchObject(refused);
      rmSync(layout.launcher(armed.home));
      expect(ask(armed, wire)).toMatchObject(refused);
    });
  },
);

test("a subagent of Copilot CLI that is kept going again and again ends all the same", () => {
  const armed = armHome([at("subagent.stop", `return { action: "keep-going", reason: "more" };`)]);
  const wants: PolicyTrigger[] = [{ matcher: null, phases: ["subagent.stop"] }];
  const command = commandsOf("copilot-cli", armed, wants).get("subagentStop") ?? "false";
  const input = JSON.stringify({ sessionId: "s", agentName: "explore", agentId: "a", response: "found" });
  const said = Array.from({ length: 9 }, () => armed.run(command, { input }).said?.decision);
  expect(said).toEqual([...Array.from({ length: 8 }, () => "block"), undefined]);
});
