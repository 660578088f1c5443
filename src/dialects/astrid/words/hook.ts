import { compileGlob, type GlobDialect } from "../../../helpers/pattern/glob.ts";
import { compileLinear } from "../../../helpers/pattern/linear-pattern.ts";

/** One handler, bound to one event. */
export interface Hook {
  /** A UUID. */
  id: string;
  name: string | null;
  description: string | null;
  event: AstridEvent;
  /** Null: it runs whenever the event fires. */
  matcher: HookMatcher | null;
  handler: HookHandler;
  /** Whole seconds. */
  timeoutSecs: number;
  failAction: FailAction;
  /** drwn reads and keeps it, but waits for such a hook anyway, as Astrid does. */
  asyncMode: boolean;
  enabled: boolean;
  /** Lower runs first. */
  priority: number;
}

/** What happens if the handler itself fails: the operation goes on with a warning, is rejected, or goes on silently. */
export type FailAction = "warn" | "block" | "ignore";

/** What a hook looks for in an event: the name of its tool, or of the server that has the tool. */
export type HookMatcher =
  | { type: "glob"; pattern: string }
  | { type: "regex"; pattern: string }
  | { type: "tool_names"; names: readonly string[] }
  | { type: "server_names"; names: readonly string[] };

export type HookHandler = CommandHandler | HttpHandler | WasmHandler;

/** A program, started directly rather than by a shell. */
export interface CommandHandler {
  type: "command";
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Null: the workspace's folder. */
  workingDir: string | null;
}

export interface HttpHandler {
  type: "http";
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  /** JSON with `{{placeholders}}`. Null: the whole context is sent. */
  bodyTemplate: string | null;
}

/** An Extism module. */
export interface WasmHandler {
  type: "wasm";
  /** Absolute, or relative to the workspace's folder. */
  modulePath: string;
  function: string;
}

/** What Astrid assumes if a file doesn't say. */
export const DEFAULTS = {
  timeoutSecs: 30,
  failAction: "warn",
  asyncMode: false,
  enabled: true,
  priority: 100,
  method: "POST",
  function: "handle",
} as const;

/** The hook's name for people. */
export function hookTitle({ name, id }: Pick<Hook, "id" | "name">): string {
  return name ?? id;
}

/** Every event of Astrid's, by its name in files and on the wire. */
export const ASTRID_HOOK_EVENTS = [
  "session_start",
  "session_end",
  "session_reset",
  "user_prompt",
  "prompt_build",
  "model_resolve",
  "message_received",
  "message_send",
  "message_sent",
  "agent_loop_end",
  "pre_tool_call",
  "post_tool_call",
  "tool_error",
  "tool_result_persist",
  "pre_approval",
  "post_approval",
  "pre_compact",
  "post_compact",
  "subagent_start",
  "subagent_stop",
  "notification",
  "kernel_start",
  "kernel_stop",
] as const;

export type AstridEvent = (typeof ASTRID_HOOK_EVENTS)[number];

export function isAstridEvent(name: unknown): name is AstridEvent {
  return ASTRID_HOOK_EVENTS.some((event) => event === name);
}

/** Whether a hook runs for an event with this data. */
export type Matches = (data: Readonly<Record<string, unknown>>) => boolean;

const GLOB: GlobDialect = { stopsAtSlash: false, stars: "as-one", negations: ["!", "^"], hasBraces: true };

/** Throws a `PatternFault` for a broken pattern, which would otherwise match nothing, or everything. */
export function compileAstridMatcher(matcher: HookMatcher | null): Matches {
  if (matcher === null) return () => true;
  if (matcher.type === "tool_names") return (data) => isNamed(data["tool_name"], matcher.names);
  if (matcher.type === "server_names") return (data) => isNamed(data["server_name"], matcher.names);
  const { type, pattern } = matcher;
  const search = type === "glob" ? compileGlob(pattern, GLOB) : compileRegex(pattern);
  return ({ tool_name: tool }) => typeof tool === "string" && search(tool);
}

function isNamed(name: unknown, names: readonly string[]): boolean {
  return names.some((one) => one === name);
}

/** A name that would take too long to search counts as a match. */
function compileRegex(source: string): (text: string) => boolean {
  const pattern = compileLinear(source);
  return (text) => pattern.search(text) !== false;
}
