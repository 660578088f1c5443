import type { ToolPolicy } from "../../policy/define.ts";
import type { ToolPolicyEvent } from "../../policy/event.ts";
import { readVariables, runProgram } from "../programs.ts";
import { callOf } from "./call.ts";
import { verdictOf } from "./effect.ts";
import type { Outcome } from "./events.ts";
import { compileGlob } from "./glob.ts";
import { type PolytokenHook, runHook } from "./run-hook.ts";

/** A hook of Polytoken in a card: the same, and how long its script may take. */
export interface PolytokenPolicy extends PolytokenHook {
  /** Milliseconds for the script; 9000 when absent. */
  timeoutMs?: number;
}

const SCRIPT_MS = 9_000;
/** The script is stopped before its policy is, so that nothing of it stays behind. */
const HEADROOM_MS = 1_000;

/** What of Polytoken's globs drwn's own matchers say as well. */
const COMMON_GLOB = /^[\p{L}\p{N}_.:/@*?{},-]+$/u;

/**
 * A hook of Polytoken on a tool's call, as a policy: its script gets the event and the variables that Polytoken gives it, and
 * what it says means the same. Refused where the hook does not declare `exec`.
 */
export function polytokenHook(hook: PolytokenPolicy): ToolPolicy {
  if (runProgram === undefined)
    throw new Error(`${hook.name} runs bash, and its hook does not declare the capability exec`);
  const { timeoutMs = SCRIPT_MS } = hook;
  const shared = { ...matcherOf(hook), timeoutMs: timeoutMs + HEADROOM_MS };
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
  if (!isFailure && hook.event !== "post_tool_use") throw new Error(`${hook.event} is about no call of a tool`);
  return {
    policyKind: "observer",
    ...shared,
    afterToolCall: async (event) => {
      if ((event.error !== undefined) === isFailure && fires(event)) decide(await ask(event));
    },
  };
}

/** A glob that means more to Polytoken than to drwn stands in the policy alone: it is asked about every tool. */
function matcherOf({ matcher }: PolytokenHook): { matcher?: string } {
  return matcher === undefined || !COMMON_GLOB.test(matcher) ? {} : { matcher };
}

/** A tool goes by the agent's own name of it, too. */
function firesOn({ matcher }: PolytokenHook): (event: ToolPolicyEvent) => boolean {
  if (matcher === undefined) return () => true;
  const matches = compileGlob(matcher);
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

async function runFor({ hook, event, timeoutMs }: Asked): Promise<Outcome> {
  const { input, output, error, cwd, sessionId } = event;
  const fields = {
    tool_name: ownNameOf(event),
    input,
    ...(output === undefined ? {} : { output }),
    ...(error && { error }),
  };
  const call = callOf(hook.event, fields, { sessionId, projectDir: cwd });
  return await runHook(hook, call, { env: readVariables(), cwd, timeoutMs });
}

/** Throws what the script could not decide: where that blocks a call, so does a policy that throws. */
function decide(outcome: Outcome): { action: "deny"; reason: string } | undefined {
  if (outcome.outcome === "error") throw new Error(outcome.message);
  if (verdictOf("pre_tool_use", outcome) !== "blocked") return undefined;
  return { action: "deny", reason: "reason" in outcome ? (outcome.reason ?? "") : "" };
}
