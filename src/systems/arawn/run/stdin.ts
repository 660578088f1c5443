import type { ArawnEvent } from "../hook/events.ts";
import type { ArawnSubject, HookDef } from "../hook/hook.ts";

/** The fields of each event of the contract, in order: a hook gets these and no others. */
const FIELDS: Readonly<Partial<Record<ArawnEvent, readonly string[]>>> = {
  PreToolUse: ["tool", "params"],
  PostToolUse: ["tool", "params", "result"],
  SessionStart: ["session_id"],
  SessionEnd: ["session_id", "turn_count"],
  Stop: ["response"],
};

/** What a filter sees of this event. */
export function subjectOf(event: ArawnEvent, context: object): ArawnSubject {
  if (FIELDS[event] !== undefined && event !== "PreToolUse" && event !== "PostToolUse") return {};
  const tool: unknown = Reflect.get(context, "tool");
  const params: unknown = Reflect.get(context, "params");
  return { ...(typeof tool === "string" ? { tool } : {}), ...(params === undefined ? {} : { params }) };
}

/** The JSON that a hook reads: the event's own fields, or for settings one object that names the event. */
export function stdinFor({ generation }: HookDef, event: ArawnEvent, context: object): string {
  const fields = FIELDS[event];
  // `kept_going` is only between drwn and the dispatcher.
  const all = Object.entries(context).filter(([name]) => name !== "kept_going");
  if (generation === "settings.json") return JSON.stringify({ hook_event: event, ...renamed(all) });
  const own = fields === undefined ? all : fields.map((field) => [field, Reflect.get(context, field) ?? null] as const);
  return JSON.stringify(Object.fromEntries(own));
}

const NAMES: Readonly<Record<string, string>> = { tool: "tool_name", params: "tool_input", result: "tool_response" };

function renamed(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([name, value]) => [Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name, value]),
  );
}
