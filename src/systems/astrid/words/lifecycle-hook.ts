import { astridFieldsOf } from "../../../policy/astrid-fields.ts";
import type { LifecycleHook, HookEvent as Moment } from "../../../policy/define-hook.ts";
import { eventNamed } from "../../../policy/event-names.ts";
import type { HookableEvent } from "../../../policy/hook-inputs.ts";
import { powersOf } from "../../../policy/taxonomy.ts";
import type { AstridHook } from "./astrid-hook.ts";
import { chainDeadline, chainOf, furtherData } from "./card-chain.ts";
import type { ChainResult } from "./chain.ts";
import type { AstridEvent } from "./events.ts";
import { reasonOf } from "./result.ts";
import { toolNamesOf } from "./tool-names.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A lifecycle hook's answer to any event; the engine checks it against what the event takes. */
type Answer = { action: string; reason?: string; additionalContext?: string; updatedInput?: Fields } | undefined;

/**
 * Hooks of Astrid's on a moment of the session, as one lifecycle hook. A failure holds the moment if the hook that
 * failed says so.
 */
export function astridLifecycleHook(name: AstridEvent, hooks: readonly AstridHook[]): LifecycleHook {
  const event = eventNamed("astrid", name) as HookableEvent;
  const blocks = hooks.some(({ failAction }) => failAction === "block");
  const chain = chainOf(hooks);
  const run = async (hookEvent: Moment<HookableEvent>): Promise<Answer> => {
    const data = dataOf(hookEvent);
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

/** What Astrid says about the moment, once for each name that it has for the tool. */
function dataOf(hookEvent: Moment<HookableEvent>): Fields[] {
  const { runtime, event, subject, metadata } = hookEvent;
  const { isContinued: _, ...input } = hookEvent.input as Fields;
  const data = { ...rename(input, astridFieldsOf(event)), ...furtherData(hookEvent) };
  const { toolName } = input;
  if (typeof toolName !== "string") return [data];
  const names = toolNamesOf({ runtime, canonical: subject ?? toolName, metadata });
  return names.map((one) => ({ ...data, ...one }));
}

/** A moment as drwn has it, and what Astrid says about it. */
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
