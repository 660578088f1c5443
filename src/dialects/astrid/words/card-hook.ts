import { randomUUID } from "node:crypto";
import { callExtism, compileCapped } from "../../../helpers/handlers/wasm.ts";
import { isMapping } from "../../../helpers/is-type.ts";
import { readVariables, runProgram } from "../../../helpers/outside/programs.ts";
import { ASTRID_ENVELOPE, astridFieldsOf } from "../../../policy/astrid-fields.ts";
import type { Decision, HookEvent, LifecycleHook, ToolPolicy } from "../../../policy/define.ts";
import { eventNamed } from "../../../policy/dialect-names.ts";
import type { ToolPolicyEvent } from "../../../policy/event.ts";
import { type HookableEvent, powersOf } from "../../../policy/lifecycle-events.ts";
import { wasmInput } from "./context.ts";
import { type ChainResult, type HandlerCall, type HandlerResult, type Link, runLinks } from "./handler-result.ts";
import { askCommand, askServer, readWasmResult, WASM_BYTES } from "./handlers.ts";
import { type AstridEvent, compileAstridMatcher, DEFAULTS, type FailAction, type HookMatcher } from "./hook.ts";
import { type HookResult, reasonOf } from "./result.ts";
import { toolNamesOf, toolsGlob } from "./tool-names.ts";

type OnTool = AstridHook & { event: ToolEvent };

/**
 * Hooks of Astrid's in a card, for one event and in order. Handlers get the event as Astrid hands it out, one after the
 * other, and what they say together means the same. For a tool call, they can change `arguments`.
 */
export function astridHook(first: OnTool, ...others: readonly OnTool[]): ToolPolicy;
export function astridHook(first: AstridHook, ...others: readonly AstridHook[]): LifecycleHook | ToolPolicy;
export function astridHook(first: AstridHook, ...others: readonly AstridHook[]): LifecycleHook | ToolPolicy {
  const hooks = [first, ...others];
  const { event } = first;
  if (hooks.some((hook) => hook.event !== event)) throw new Error(`all of these hooks must be on ${event}`);
  if (event === "pre_tool_call" || event === "post_tool_call" || event === "tool_error") {
    return toolPolicy(event, hooks);
  }
  return astridLifecycleHook(event, hooks);
}

function toolPolicy(event: ToolEvent, hooks: readonly AstridHook[]): ToolPolicy {
  const glob = toolsGlob(hooks.map(({ matcher }) => matcher));
  const chain = chainOf(hooks);
  const ask = (call: ToolPolicyEvent) => chain({ ...call, data: dataOf(call) });
  const shared = { ...(glob === undefined ? {} : { matcher: glob }), timeoutMs: chainDeadline(hooks) };
  if (event === "pre_tool_call") {
    return { policyKind: "enforcement", ...shared, beforeToolCall: async (call) => decide(await ask(call)) };
  }
  const isForErrors = event === "tool_error";
  return {
    policyKind: "observer",
    ...shared,
    afterToolCall: async (call) => {
      if ((call.error !== undefined) === isForErrors) complain(await ask(call));
    },
  };
}

function decide({ result, rejectedBy, warnings }: ChainResult): Decision | undefined {
  if (rejectedBy !== undefined) throw new Error(rejectedBy);
  if (result.action === "block") return { action: "deny", reason: reasonOf(result) };
  if (result.action === "ask") return { action: "ask", reason: reasonOf(result) };
  const input = result.action === "continue_with" ? result.modifications["arguments"] : undefined;
  if (input !== undefined) return { action: "allow", updatedInput: input };
  return warnings.length === 0 ? undefined : { action: "log-only" };
}

/** After the call nothing can be rejected; the journal notes a failure. */
function complain({ rejectedBy, warnings }: ChainResult): void {
  const failures = rejectedBy === undefined ? warnings : [...warnings, rejectedBy];
  if (failures.length > 0) throw new Error(failures.join("; "));
}

/** What Astrid says about a tool call. A server's tool has its own name there. */
function dataOf(call: ToolPolicyEvent): Record<string, unknown>[] {
  const { runtime, toolName, input, output, error, phase, metadata } = call;
  return toolNamesOf({ runtime, canonical: toolName, metadata }).map((names) => ({
    ...names,
    arguments: isMapping(input) ? input : { input: input ?? null },
    ...furtherData(call),
    ...(phase === "pre-tool" ? {} : { is_error: error !== undefined }),
    ...(output === undefined ? {} : { result: output }),
    ...(error === undefined ? {} : { error: error.message }),
  }));
}

type Fields = Readonly<Record<string, unknown>>;

/** A lifecycle hook's answer to any event; the engine checks it against what the event takes. */
type Answer = { action: string; reason?: string; additionalContext?: string; updatedInput?: Fields } | undefined;

/**
 * Hooks of Astrid's on a lifecycle event, as one lifecycle hook. A failure holds the event if the hook that
 * failed says so.
 */
function astridLifecycleHook(name: AstridEvent, hooks: readonly AstridHook[]): LifecycleHook {
  const event = eventNamed("astrid", name) as HookableEvent;
  const blocks = hooks.some(({ failAction }) => failAction === "block");
  const chain = chainOf(hooks);
  const run = async (hookEvent: HookEvent<HookableEvent>): Promise<Answer> => {
    const data = lifecycleDataOf(hookEvent);
    const end = await chain({ ...hookEvent, data });
    if (end.rejectedBy !== undefined) throw new Error(end.rejectedBy);
    const answer = answerTo(event, end, { input: hookEvent.input as Fields, data: data[0] ?? {} });
    if (answer !== undefined || end.warnings.length === 0) return answer;
    // A failure that is only a warning must not hold what another of these hooks may hold.
    if (blocks) return { action: "log-only" };
    throw new Error(end.warnings.join("; "));
  };
  return {
    event,
    timeoutMs: chainDeadline(hooks),
    onFailure: blocks ? "block" : "proceed",
    // Only the event's name tells which answers it takes, and the name is data here.
    run: run as LifecycleHook["run"],
  };
}

/** What Astrid says about the event, once for each name that it has for the tool. */
function lifecycleDataOf(hookEvent: HookEvent<HookableEvent>): Fields[] {
  const { runtime, event, subject, metadata } = hookEvent;
  const { isContinued: _, ...input } = hookEvent.input as Fields;
  const data = { ...rename(input, astridFieldsOf(event)), ...furtherData(hookEvent) };
  const { toolName } = input;
  if (typeof toolName !== "string") return [data];
  const names = toolNamesOf({ runtime, canonical: subject ?? toolName, metadata });
  return names.map((one) => ({ ...data, ...one }));
}

/** A lifecycle event as drwn has it, and what Astrid says about it. */
interface AstridContextParts {
  input: Fields;
  data: Fields;
}

function answerTo(event: HookableEvent, { result }: ChainResult, parts: AstridContextParts): Answer {
  const { hold, injects, transforms } = powersOf(event);
  if (result.action === "block") return hold === null ? undefined : { action: hold, reason: reasonOf(result) };
  if (result.action === "ask") return hold === null ? undefined : { action: "ask", reason: reasonOf(result) };
  if (result.action === "continue") return undefined;
  const { context, ...fields } = result.modifications;
  const changed = rename(withoutNames(fields, parts.data), inverse(astridFieldsOf(event)));
  return {
    action: "proceed",
    ...(injects && typeof context === "string" ? { additionalContext: context } : {}),
    ...(transforms && Object.keys(changed).length > 0 ? { updatedInput: { ...parts.input, ...changed } } : {}),
  };
}

/** A tool name that comes back unchanged changes nothing: drwn has the tool under another name. */
function withoutNames(fields: Fields, parts: Fields): Fields {
  const isTold = (key: string) => key === "server_name" || (key === "tool_name" && fields[key] === parts[key]);
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !isTold(key)));
}

function rename(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  const renamed = Object.entries(fields).map(([key, value]) => [Object.hasOwn(names, key) ? names[key] : key, value]);
  return Object.fromEntries(renamed);
}

function inverse(names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([own, other]) => [other, own]));
}

/** A policy may take 30 seconds, and its handlers are stopped before the policy is. */
export const MOST_SECONDS = 29;

/** An event about which a card's hooks are asked. */
interface ChainEvent {
  runtime: string;
  /** What Astrid says about it, once for each name that it has for the tool, the usual one first. */
  data: readonly Fields[];
  cwd?: string | undefined;
  sessionId?: string | undefined;
  metadata?: Fields | undefined;
}

/** Asks the hooks of one event in order. They share one deadline. */
function chainOf(hooks: readonly AstridHook[]): (event: ChainEvent) => Promise<ChainResult> {
  const ready = hooks.map((hook) => ({ hook, matches: compileAstridMatcher(hook.matcher ?? null) }));
  return (event) => {
    const begun = performance.now();
    const told = { invocationId: randomUUID(), timestamp: new Date().toISOString() };
    return runLinks(
      ready.map(({ hook, matches }): Link => {
        const { name, failAction = DEFAULTS.failAction } = hook;
        const data = event.data.find((one) => matches(one));
        const ask = async (previous: readonly HookResult[]) =>
          data === undefined ? undefined : await askHook(hook, { event, data, previous, begun, ...told });
        return { title: name, failAction, ask };
      }),
    );
  };
}

interface ChainCall {
  event: ChainEvent;
  data: Fields;
  previous: readonly HookResult[];
  begun: number;
  invocationId: string;
  timestamp: string;
}

function askHook(hook: AstridHook, { event, data, previous, begun, ...told }: ChainCall): Promise<HandlerResult> {
  const { sessionId = null, cwd = ".", runtime, metadata = {} } = event;
  const user = runtime === "astrid" ? metadata["user_id"] : undefined;
  const userId = typeof user === "string" ? user : null;
  const left = MOST_SECONDS - (performance.now() - begun) / 1_000;
  return hook.handler({
    context: { ...told, event: hook.event, sessionId, userId, data },
    previous,
    timeoutSecs: Math.max(0.001, Math.min(secondsOf(hook), left)),
    root: cwd,
  });
}

/** How many milliseconds the policy of these hooks may take. */
function chainDeadline(hooks: readonly AstridHook[]): number {
  const seconds = hooks.reduce((sum, hook) => sum + secondsOf(hook), 0);
  return (Math.min(seconds, MOST_SECONDS) + 1) * 1_000;
}

function secondsOf({ timeoutSecs = DEFAULTS.timeoutSecs }: AstridHook): number {
  return Math.min(timeoutSecs, MOST_SECONDS);
}

/** What Astrid says about an event beyond what drwn knows; nothing in other agents. */
function furtherData({ runtime, metadata = {} }: Pick<ChainEvent, "metadata" | "runtime">): Fields {
  if (runtime !== "astrid") return {};
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !NOT_DATA.includes(key)));
}

const NOT_DATA = [...ASTRID_ENVELOPE, "tool_name", "server_name"];

/**
 * The handler that an imported hook asks. It never throws: whatever goes wrong is a failure, and the hook decides what
 * that means.
 */
export type CardHandler = (call: Omit<HandlerCall, "env">) => Promise<HandlerResult>;

export interface CommandParts {
  command: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Absent: the folder that the agent is working in. */
  workingDir?: string;
}

/** A program, started directly. Its hook declares `exec`, and `env` if the program needs to know its user. */
export function command({ command: program, args = [], env = {}, workingDir }: CommandParts): CardHandler {
  if (runProgram === undefined) {
    throw new Error(`it runs ${program}, and its hook does not declare the capability exec`);
  }
  const handler = { type: "command", command: program, args, env, workingDir: workingDir ?? null } as const;
  return (call) => guard(() => askCommand(handler, { ...call, env: readVariables(), isSupervised: true }));
}

export interface HttpParts {
  url: string;
  /** `POST` when absent. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON with `{{placeholders}}`. Absent: the whole context is sent. */
  bodyTemplate?: string;
}

/** A server that gets the event. Its hook declares `net`. */
export function http({ url, method = DEFAULTS.method, headers = {}, bodyTemplate }: HttpParts): CardHandler {
  const handler = { type: "http", url, method, headers, bodyTemplate: bodyTemplate ?? null } as const;
  return (call) => guard(() => askServer(handler, { ...call, env: {} }));
}

export interface WasmParts {
  /** The module's bytes in base64. */
  module: string;
  /** `handle` when absent. */
  function?: string;
}

/** An Extism module, which can reach nothing but its own memory. Its hook declares `wasm`. */
export function wasm({ module, function: name = DEFAULTS.function }: WasmParts): CardHandler {
  let compiled: object | undefined;
  return (call) =>
    guard(async () => {
      compiled ??= compileCapped(Buffer.from(module, "base64"), WASM_BYTES);
      const input = wasmInput(call.context);
      return readWasmResult(callExtism({ module: compiled, function: name, input, maxMemoryBytes: WASM_BYTES }));
    });
}

async function guard(ask: () => Promise<HandlerResult>): Promise<HandlerResult> {
  try {
    return await ask();
  } catch (error) {
    return { status: "failure", error: error instanceof Error ? error.message : String(error) };
  }
}

/** The events about a tool call. */
export type ToolEvent = "pre_tool_call" | "post_tool_call" | "tool_error";

/** A hook of Astrid's in a card. Hooks run in the order that they have in the card. */
export interface AstridHook {
  name: string;
  event: AstridEvent;
  matcher?: HookMatcher;
  handler: CardHandler;
  /** Whole seconds, at most 29; 29 when absent. */
  timeoutSecs?: number;
  /** `warn` when absent. */
  failAction?: FailAction;
}
