import fs from "node:fs";
import { expect } from "vitest";
import { allTargets } from "../../src/agents/targets.ts";
import { failure, NO_OPINION, type PolicyAnswer } from "../../src/hook/run/policy-answer.ts";
import type { Adapter, PresentedVerdict } from "../../src/hook-base/adapter/adapter.ts";
import type { PolicyKind } from "../../src/policy/define.ts";
import type { AgentId, Phase } from "../../src/policy/event.ts";
import { canaryCall } from "../../src/wiring/canary-call.ts";
import { type ArmedHome, armHome } from "./armed-home.ts";
import type { CallOptions, HookResult } from "./hook-calls.ts";

/** What a policy says or does, by name: as JavaScript text, and as the engine understands it. */
export const BEHAVIOURS = {
  none: { body: "", answer: NO_OPINION },
  "log-only": { body: `return { action: "log-only" };`, answer: { ...NO_OPINION, action: "log-only" } },
  allow: { body: `return { action: "allow" };`, answer: { ...NO_OPINION, action: "allow" } },
  "allow, with context": {
    body: `return { action: "allow", additionalContext: "mind the gap" };`,
    answer: { ...NO_OPINION, action: "allow", context: "mind the gap" },
  },
  "allow, rewritten": {
    body: `return { action: "allow", updatedInput: { command: "pwd" } };`,
    answer: { ...NO_OPINION, action: "allow", updatedInput: '{"command":"pwd"}' },
  },
  deny: { body: `return { action: "deny", reason: "not here" };`, answer: deny(null) },
  "deny, with a result": {
    body: `return { action: "deny", reason: "not here", syntheticOutput: "nothing there" };`,
    answer: deny('"nothing there"'),
  },
  ask: {
    body: `return { action: "ask", reason: "sure?" };`,
    answer: { ...NO_OPINION, action: "ask", reason: "sure?" },
  },
  throws: { body: `throw new Error("broken");`, answer: failure("threw: broken") },
  "times out": { body: "for (;;);", answer: failure("did not answer in time") },
  "is malformed": { body: `return { action: "alow" };`, answer: failure("returned a decision that is none") },
  "has lost its code": { body: `return { action: "deny", reason: "gone" };`, answer: failure("cannot run") },
} as const satisfies Record<string, { body: string; answer: PolicyAnswer }>;

export type Behaviour = keyof typeof BEHAVIOURS;

function deny(syntheticOutput: string | null): PolicyAnswer {
  return { ...NO_OPINION, action: "deny", reason: "not here", syntheticOutput };
}

export interface ConformanceCase {
  adapter: Adapter;
  behaviour: Behaviour;
  kind: PolicyKind;
  phase: Phase;
}

const KINDS: readonly PolicyKind[] = ["enforcement", "observer"];
export const PHASES: readonly Phase[] = ["pre-tool", "post-tool"];

/** Agent × behaviour × kind × phase. */
export function conformanceCases(adapters: readonly Adapter[]): ConformanceCase[] {
  const behaviours = Object.keys(BEHAVIOURS) as Behaviour[];
  return adapters.flatMap((adapter) =>
    PHASES.flatMap((phase) =>
      KINDS.flatMap((kind) => behaviours.map((behaviour) => ({ adapter, behaviour, kind, phase }))),
    ),
  );
}

export function nameOf({ adapter, behaviour, kind, phase }: ConformanceCase): string {
  return `${adapter.title}, ${phase}, ${kind} that says or does: ${behaviour}`;
}

/** What happens to a call, in the documentation's words. */
export type Outcome = "runs" | "blocked" | "a person is asked" | "runs with context" | "runs rewritten";

/**
 * The promise, stated again and apart from the code that keeps it: what must happen to a case in this agent, given what
 * the agent declares that it can carry.
 */
export function expectedOutcome({ adapter: { can }, behaviour, kind, phase }: ConformanceCase): Outcome {
  if (phase === "post-tool") return "runs";
  if (behaviour === "deny" || behaviour === "deny, with a result") return "blocked";
  if (kind === "observer") return "runs";
  if (BEHAVIOURS[behaviour].answer.action === "failure") return "blocked";
  if (behaviour === "ask") return can.ask ? "a person is asked" : "runs";
  if (behaviour === "allow, rewritten") return can.rewrite ? "runs rewritten" : "blocked";
  if (behaviour === "allow, with context") return can.context ? "runs with context" : "runs";
  return "runs";
}

export function outcomeOf({ action, context, updatedInput }: PresentedVerdict): Outcome {
  if (action === "deny") return "blocked";
  if (action === "ask") return "a person is asked";
  if (updatedInput !== null) return "runs rewritten";
  return context === null ? "runs" : "runs with context";
}

/** The documentation's table for calls about which policies are asked beforehand: rows of cells. */
export function outcomeTable(adapters: readonly Adapter[]): string[][] {
  const behaviours = Object.keys(BEHAVIOURS) as Behaviour[];
  return KINDS.flatMap((kind) =>
    behaviours.map((behaviour) => [
      kind,
      behaviour,
      ...adapters.map((adapter) => expectedOutcome({ adapter, behaviour, kind, phase: "pre-tool" })),
    ]),
  );
}

/** What each agent of a hook process sends before and after a call; undefined: it isn't known here. */
export function eventOf(runtime: AgentId, phase: Phase, cwd: string): Record<string, unknown> | undefined {
  const target = allTargets().find((one) => one.runtime === runtime);
  return target && canaryCall(target.calls, { root: cwd, tool: "Bash", input: { command: "ls" }, phase }).event;
}

/** Sends the case through the launcher and the hook process, as the agent would. */
function runCase({ adapter, behaviour, kind, phase }: ConformanceCase): {
  armed: ArmedHome;
  result: HookResult;
} {
  const callback = phase === "pre-tool" ? "beforeToolCall" : "afterToolCall";
  const policy = `{ ${callback}() { ${BEHAVIOURS[behaviour].body} } }`;
  const armed = armHome([{ policy, kind, phases: [phase], timeoutMs: behaviour === "times out" ? 300 : 5_000 }]);
  if (behaviour === "has lost its code") fs.rmSync(armed.bundleFile("guard-0"));
  const input = JSON.stringify(eventOf(adapter.runtime, phase, armed.project));
  const options: CallOptions = { runtime: adapter.runtime, phase: phase === "pre-tool" ? "pre" : "post", input };
  return { armed, result: armed.call({}, options) };
}

/** The agent gets the promised outcome in its own words, and the journal agrees. */
export function expectConformance(one: ConformanceCase): void {
  const { armed, result } = runCase(one);
  const outcome = expectedOutcome(one);
  // Arawn knows a block by its exit code.
  expect(result.status).toBe(one.adapter.runtime === "arawn" && outcome === "blocked" ? 2 : 0);
  const effective = outcome === "blocked" ? "deny" : outcome === "a person is asked" ? "ask" : "allow";
  expect(armed.journal()).toMatchObject([{ runtime: one.adapter.runtime, effective }]);
  if (outcome === "runs") expect(result.stdout).toBe("");
  if (outcome === "runs rewritten") expect(result.stdout).toContain('"pwd"');
  if (outcome === "runs with context") expect(result.stdout).toContain("mind the gap");
  if (outcome === "blocked") expect(result.stdout).toMatch(one.adapter.runtime === "arawn" ? /\S/u : /deny|block/u);
  if (outcome === "a person is asked") expect(result.stdout).toContain("sure?");
}
