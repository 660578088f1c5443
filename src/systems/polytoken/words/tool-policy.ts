import { isMapping } from "../../../helpers/guards.ts";
import { readVariables } from "../../../helpers/outside/programs.ts";
import type { ToolPolicy } from "../../../policy/define.ts";
import type { ToolPolicyEvent } from "../../../policy/event.ts";
import { POLYTOKEN_TOOLS, polytokenToolName } from "../../../policy/polytoken-names.ts";
import { spellingsIn } from "../../../policy/tools.ts";
import { callOf } from "./call.ts";
import { effectReason, effectVerdict } from "./effect.ts";
import type { PolytokenOutcome } from "./events.ts";
import { compilePolytokenGlob } from "./glob.ts";
import { commonMatcher, type PolytokenPolicy, SCRIPT_MS, sessionOf } from "./policy-parts.ts";
import { type PolytokenHook, runPolytokenHook } from "./run-hook.ts";

/** A hook on a tool call, as a policy. */
export function toolPolicy(hook: PolytokenPolicy): ToolPolicy {
  const { timeoutMs = SCRIPT_MS } = hook;
  const shared = { ...sharedMatcher(hook), timeoutMs };
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

/** The matcher for all agents, which call some tools something else. */
function sharedMatcher({ matcher }: PolytokenHook): { matcher?: string } {
  if (matcher === undefined) return {};
  const matches = compilePolytokenGlob(matcher);
  const others = Object.entries(POLYTOKEN_TOOLS).flatMap(([own, name]) =>
    matches(own) && !matches(name) ? [name] : [],
  );
  return commonMatcher(matcher, others);
}

function firesOn({ matcher }: PolytokenHook): (event: ToolPolicyEvent) => boolean {
  if (matcher === undefined) return () => true;
  const matches = compilePolytokenGlob(matcher);
  return (event) => matches(ownNameOf(event));
}

/** Polytoken's name for the tool; a tool that it doesn't have keeps the agent's name. */
function ownNameOf({ runtime, toolName, metadata }: ToolPolicyEvent): string {
  if (runtime !== "polytoken") return polytokenToolName(toolName);
  const own = metadata?.["tool_name"];
  return typeof own === "string" ? own : toolName;
}

interface ToolQuestion {
  hook: PolytokenHook;
  event: ToolPolicyEvent;
  timeoutMs: number;
}

async function runFor({ hook, event, timeoutMs }: ToolQuestion): Promise<PolytokenOutcome> {
  const { output, error, sessionId, metadata } = event;
  const env = readVariables();
  // On Polytoken itself, the folder is from the environment: the event that the hook gets names none.
  const cwd = event.runtime === "polytoken" && event.cwd === env["POLYTOKEN_PROJECT_DIR"] ? undefined : event.cwd;
  const tool = ownNameOf(event);
  const fields = {
    ...metadata,
    ...(cwd === undefined ? {} : { cwd }),
    tool_name: tool,
    input: ownInputOf(event, tool),
    ...(output === undefined ? {} : { output }),
    ...(error && { error: error.message }),
  };
  const call = callOf(hook.event, fields, sessionOf({ sessionId, cwd }, env));
  return await runPolytokenHook(hook, call, { env, cwd, timeoutMs, isSupervised: true });
}

/** The input with the file under Polytoken's name, relative to the call's folder if the file is in it. */
function ownInputOf({ runtime, input, cwd }: ToolPolicyEvent, tool: string): unknown {
  if (runtime === "polytoken" || !tool.startsWith("file_") || !isMapping(input) || "path" in input) return input;
  const [file, ...more] = spellingsIn(input, "file_path").map((name) => input[name]);
  if (typeof file !== "string" || more.some((other) => other !== file)) return input;
  const isInside = cwd !== undefined && file.startsWith(`${cwd}/`);
  return { ...input, path: isInside ? file.slice(cwd.length + 1) : file };
}

/** Throws if the script couldn't decide: if that blocks a call, so does a policy that throws. */
function decide(outcome: PolytokenOutcome): { action: "deny"; reason: string } | undefined {
  if (outcome.outcome === "error") throw new Error(outcome.message);
  if (effectVerdict("pre_tool_use", outcome) !== "blocked") return undefined;
  return { action: "deny", reason: effectReason(outcome) };
}
