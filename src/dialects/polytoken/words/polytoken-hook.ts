import { isMapping } from "../../../helpers/is-type.ts";
import { readSessionFolder, readVariables, runProgram } from "../../../helpers/outside/programs.ts";
import type { HookEvent, LifecycleHook, ToolPolicy } from "../../../policy/define.ts";
import { eventNamed } from "../../../policy/dialect-names.ts";
import type { ToolPolicyEvent } from "../../../policy/event.ts";
import { type HookableEvent, powersOf } from "../../../policy/lifecycle-events.ts";
import { POLYTOKEN_TOOLS, polytokenFieldName, polytokenToolName } from "../../../policy/polytoken-names.ts";
import { spellingsIn } from "../../../policy/tools.ts";
import { callOf, type SessionFacts, sessionFrom } from "./call.ts";
import { effectReason, effectText, effectVerdict, POLYTOKEN_EVENTS, type PolytokenOutcome } from "./events.ts";
import { compilePolytokenGlob } from "./glob.ts";
import { type PolytokenHook, runPolytokenHook } from "./run-hook.ts";

/**
 * A Polytoken hook in a card. Its script gets the event and the variables that Polytoken would give it, and its answers
 * mean the same. Refused if the hook doesn't declare `exec`.
 */
export function polytokenHook(hook: PolytokenPolicy): LifecycleHook | ToolPolicy {
  if (runProgram === undefined)
    throw new Error(`${hook.name} runs bash, and its hook does not declare the capability exec`);
  return POLYTOKEN_EVENTS[hook.event].subject === "tool" ? toolPolicy(hook) : polytokenLifecycleHook(hook);
}

/** A hook on a tool call, as a policy. */
function toolPolicy(hook: PolytokenPolicy): ToolPolicy {
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

/** A lifecycle hook's answer to any event; the engine checks it against what the event takes. */
type Answer = { action: string; reason?: string; additionalContext?: string } | undefined;

/**
 * A Polytoken hook on a lifecycle event, as a lifecycle hook. An error holds the event if Polytoken lets errors
 * stop the action; otherwise it is noted.
 */
function polytokenLifecycleHook(hook: PolytokenPolicy): LifecycleHook {
  const { event: own, timeoutMs = SCRIPT_MS } = hook;
  const event = eventNamed("polytoken", own) as HookableEvent;
  const { subject, onError } = POLYTOKEN_EVENTS[own];
  const matches = hook.matcher === undefined ? () => true : compilePolytokenGlob(hook.matcher);
  const run = async (hookEvent: HookEvent<HookableEvent>): Promise<Answer> => {
    const env = readVariables();
    const call = callOf(own, fieldsOf(hookEvent), sessionOf(hookEvent, env));
    if (!matches(call.subject)) return undefined;
    return answerOf(
      hook,
      await runPolytokenHook(hook, call, { env, cwd: hookEvent.cwd, timeoutMs, isSupervised: true }),
    );
  };
  return {
    event,
    ...(subject === "event" ? {} : commonMatcher(hook.matcher)),
    timeoutMs,
    onFailure: onError === "blocks" ? "block" : "proceed",
    // Only the event's name tells which outcomes it has, and the name is data here.
    run: run as LifecycleHook["run"],
  };
}

/** The event as the agent sent it, with the names that Polytoken's handlers know. */
function fieldsOf({ event, cwd, input, metadata }: HookEvent<HookableEvent>): Record<string, unknown> {
  // Polytoken doesn't say whether a turn was kept going.
  const own = Object.entries(input).filter(([field]) => field !== "isContinued");
  const named = own.map(([field, value]) => [polytokenFieldName(event, field), value]);
  return { ...metadata, ...(cwd === undefined ? {} : { cwd }), ...Object.fromEntries(named) };
}

/** Throws if the script couldn't decide. */
function answerOf({ event }: PolytokenPolicy, outcome: PolytokenOutcome): Answer {
  if (outcome.outcome === "error") throw new Error(outcome.message);
  const { hold, injects } = powersOf(eventNamed("polytoken", event));
  // Both outcomes end a compaction, one of them quietly.
  if (effectVerdict(event, outcome) !== "allowed" && hold !== null) {
    return { action: hold, reason: effectReason(outcome) };
  }
  const text = effectText(event, outcome);
  return text === undefined || !injects ? undefined : { action: "proceed", additionalContext: text };
}

/** A Polytoken hook in a card, with a limit for its script. */
export interface PolytokenPolicy extends PolytokenHook {
  /** Milliseconds for the script, at most 30000; 10000 when absent. */
  timeoutMs?: number;
}

/** Several hooks on one event have to end before the agent gives up. Polytoken itself waits longer for each. */
const SCRIPT_MS = 10_000;

/** The part of Polytoken's globs that drwn's own matchers can express: names, stars, and one level of braces. */
const COMMON_GLOB = /^(?!\.\/)(?:[\w.:/@*?-]|\{[\w.:/@*?-]+(?:,[\w.:/@*?-]+)+\})+$/u;
const MOST_CHARACTERS = 128;
const MOST_STARS = 4;
const MOST_BRACES = 2;

/** A glob that means more to Polytoken than to drwn stays in the hook, which is then asked about everything. */
export function commonMatcher(matcher: string | undefined, others: readonly string[] = []): { matcher?: string } {
  if (matcher === undefined || !COMMON_GLOB.test(matcher)) return {};
  const whole = [matcher, ...others].join("|");
  const isCommon =
    whole.length <= MOST_CHARACTERS &&
    matcher.split("*").length <= MOST_STARS + 1 &&
    matcher.split("{").length <= MOST_BRACES + 1;
  return isCommon ? { matcher: whole } : {};
}

/**
 * What the event says about the session, otherwise what the agent told the process: only Polytoken tells all of it. In
 * other agents, the project is the folder in which the session was started.
 */
function sessionOf(
  { sessionId, cwd }: { sessionId?: string | undefined; cwd?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): SessionFacts {
  const known = sessionFrom(env);
  return {
    ...known,
    sessionId: sessionId ?? known.sessionId,
    projectDir: known.projectDir ?? cwd,
    projectPath: known.projectPath ?? (known.projectDir === undefined ? readSessionFolder() : undefined),
  };
}
