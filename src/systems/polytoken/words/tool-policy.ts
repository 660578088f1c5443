import { readVariables } from "../../../helpers/outside/programs.ts";
import type { ToolPolicy } from "../../../policy/define.ts";
import type { ToolPolicyEvent } from "../../../policy/event.ts";
import { callOf } from "./call.ts";
import { effectVerdict } from "./effect.ts";
import type { PolytokenOutcome } from "./events.ts";
import { compilePolytokenGlob } from "./glob.ts";
import { commonMatcher, type PolytokenPolicy, SCRIPT_MS, sessionOf } from "./policy-parts.ts";
import { type PolytokenHook, runPolytokenHook } from "./run-hook.ts";

/** A hook on a tool's call, as a policy. */
export function toolPolicy(hook: PolytokenPolicy): ToolPolicy {
  const { timeoutMs = SCRIPT_MS } = hook;
  const shared = { ...commonMatcher(hook), timeoutMs };
  const fires = firesOn(hook);
  const ask = (event: ToolPolicyEvent) => runFor({ hook, event, timeoutMs });
  if (hook.event === "pre_tool_use") {
    return {
      policyKind: "enforcement",
      ...shared,
      beforeToolCall: async (event) => (fires(event) ? decide(await ask(event)) : undefined),
    };
  }
  const isFailure = hook.event === "post_tool_use_failure";
  return {
    policyKind: "observer",
    ...shared,
    afterToolCall: async (event) => {
      if ((event.error !== undefined) === isFailure && fires(event)) decide(await ask(event));
    },
  };
}

/** A tool goes by the agent's own name of it, too. */
function firesOn({ matcher }: PolytokenHook): (event: ToolPolicyEvent) => boolean {
  if (matcher === undefined) return () => true;
  const matches = compilePolytokenGlob(matcher);
  return (event) => matches(event.toolName) || matches(ownNameOf(event));
}

function ownNameOf({ toolName, metadata }: ToolPolicyEvent): string {
  const own = metadata?.["tool_name"];
  return typeof own === "string" ? own : toolName;
}

interface Asked {
  hook: PolytokenHook;
  event: ToolPolicyEvent;
  timeoutMs: number;
}

async function runFor({ hook, event, timeoutMs }: Asked): Promise<PolytokenOutcome> {
  const { input, output, error, cwd, sessionId } = event;
  const fields = {
    tool_name: ownNameOf(event),
    input,
    ...(output === undefined ? {} : { output }),
    ...(error && { error }),
  };
  const env = readVariables();
  const call = callOf(hook.event, fields, sessionOf({ sessionId, cwd }, env));
  return await runPolytokenHook(hook, call, { env, cwd, timeoutMs, isSupervised: true });
}

/** Throws what the script could not decide: where that blocks a call, so does a policy that throws. */
function decide(outcome: PolytokenOutcome): { action: "deny"; reason: string } | undefined {
  if (outcome.outcome === "error") throw new Error(outcome.message);
  if (effectVerdict("pre_tool_use", outcome) !== "blocked") return undefined;
  const reason = "reason" in outcome && outcome.reason !== undefined ? outcome.reason.trim() : "";
  return { action: "deny", reason: reason || `the hook answered ${outcome.outcome}` };
}
