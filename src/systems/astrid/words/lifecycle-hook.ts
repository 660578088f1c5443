import { randomUUID } from "node:crypto";
import type { LifecycleHook, HookEvent as Moment } from "../../../policy/define-hook.ts";
import { eventNamed } from "../../../policy/event-names.ts";
import type { HookableEvent } from "../../../policy/hook-inputs.ts";
import { powersOf } from "../../../policy/taxonomy.ts";
import { describeAstridFailure, type HandlerEnd } from "./ask.ts";
import type { AstridHook } from "./astrid-hook.ts";
import type { AstridEvent } from "./events.ts";
import { compileAstridMatcher } from "./matcher.ts";
import { type HookResult, reasonOf } from "./result.ts";
import { toolNamesOf } from "./tool-names.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a lifecycle hook answers, whatever its event: the engine holds it to what the event takes. */
type Answer = { action: string; reason?: string; additionalContext?: string; updatedInput?: Fields } | undefined;

const TOOL = { toolName: "tool_name", toolInput: "arguments", output: "result" };

/** What Astrid calls the fields of an event, where it has another name than drwn. */
const NAMES: { readonly [E in AstridEvent]?: Readonly<Record<string, string>> } = {
  user_prompt: { prompt: "input" },
  message_received: { prompt: "content" },
  message_send: { message: "content" },
  message_sent: { message: "content" },
  agent_loop_end: { lastMessage: "response" },
  tool_result_persist: TOOL,
  pre_approval: TOOL,
  post_approval: TOOL,
  subagent_start: { type: "subagent_type" },
  subagent_stop: { type: "subagent_type", lastMessage: "result" },
};

/** A hook of Astrid's on a moment of the session, as a lifecycle hook. Its failures hold the moment where it says so. */
export function astridLifecycleHook(hook: AstridHook, timeoutSecs: number): LifecycleHook {
  const matches = compileAstridMatcher(hook.matcher ?? null);
  const run = async (moment: Moment<HookableEvent>): Promise<Answer> => {
    const { sessionId, cwd } = moment;
    const input = moment.input as Fields;
    const data = dataOf(hook.event, moment);
    // A tool goes by the agent's own name of it, too.
    if (!matches(data) && !matches({ ...data, tool_name: input["toolName"] })) return undefined;
    const context = {
      invocationId: randomUUID(),
      event: hook.event,
      sessionId: sessionId ?? null,
      userId: null,
      timestamp: new Date().toISOString(),
      data,
    };
    const end = await hook.handler({ context, previous: [], timeoutSecs, root: cwd ?? "." });
    return answerOf(hook, end, { input, data });
  };
  return {
    event: eventNamed("astrid", hook.event) as HookableEvent,
    timeoutMs: (timeoutSecs + 1) * 1000,
    onFailure: hook.failAction === "block" ? "block" : "proceed",
    // Which answers an event takes is known by its name alone, and that is data here.
    run: run as LifecycleHook["run"],
  };
}

/** What Astrid says of the moment. */
function dataOf(event: AstridEvent, moment: Moment<HookableEvent>): Fields {
  const input = moment.input as Fields;
  const { toolName } = input;
  const names = typeof toolName === "string" ? toolNamesOf(toolName, moment.metadata) : {};
  return { ...rename(input, NAMES[event] ?? {}), ...names };
}

/** A moment as drwn has it, and what Astrid says of it. */
interface Told {
  input: Fields;
  data: Fields;
}

function answerOf(hook: AstridHook, end: HandlerEnd, told: Told): Answer {
  if (end.status === "success") return answerTo(hook.event, end.result, told);
  if (hook.failAction === "ignore") return undefined;
  throw new Error(describeAstridFailure(hook.name, end));
}

function answerTo(event: AstridEvent, result: HookResult, told: Told): Answer {
  const { hold, injects, transforms } = powersOf(eventNamed("astrid", event));
  if (result.action === "block") return hold === null ? undefined : { action: hold, reason: reasonOf(result) };
  if (result.action === "ask") return hold === null ? undefined : { action: "ask", reason: reasonOf(result) };
  if (result.action === "continue") return undefined;
  const { context, ...fields } = result.modifications;
  const changed = rename(withoutNames(fields, told.data), inverse(NAMES[event] ?? {}));
  return {
    action: "proceed",
    ...(injects && typeof context === "string" ? { additionalContext: context } : {}),
    ...(transforms && Object.keys(changed).length > 0 ? { updatedInput: { ...told.input, ...changed } } : {}),
  };
}

/** A name of the tool that comes back as it was told changes nothing: drwn has the tool under another one. */
function withoutNames(fields: Fields, told: Fields): Fields {
  const isTold = (key: string) => key === "server_name" || (key === "tool_name" && fields[key] === told[key]);
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !isTold(key)));
}

function rename(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  const renamed = Object.entries(fields).map(([key, value]) => [Object.hasOwn(names, key) ? names[key] : key, value]);
  return Object.fromEntries(renamed);
}

function inverse(names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([own, other]) => [other, own]));
}
