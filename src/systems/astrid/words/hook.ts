import type { AstridEvent } from "./events.ts";

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
