import { offsetOfPath } from "../../kernel/format/edit-json.ts";
import type { JsonExtras, JsonPath } from "../../kernel/format/json.ts";
import { isObject, type JsonFile, namePath, requireObject, settingsProblem, valueAt } from "../json-file.ts";

/**
 * How an agent writes hooks into a JSON file: a list for each event below `hooks`, or one list that is the whole file.
 */
export interface HookFormat {
  /** The events that the agent knows. drwn doesn't look at other names. */
  events: ReadonlySet<string>;
  /**
   * `groups`: each item of a list holds a list `hooks` of handlers; `handlers`: each item is a handler; `entries`: the file is one
   * list, and each item names its `event` and holds a `handler`.
   */
  items: "entries" | "groups" | "handlers";
  /** What the agent accepts in the file beside strict JSON. */
  extras?: JsonExtras;
  /** The fields of a handler that may hold the shell command. */
  commands: readonly string[];
  /** What else the file must say for its hooks to count. A file that says something else keeps it. */
  requiredFields?: { path: JsonPath; value: boolean | number };
}

/** One item of an event's list. */
export interface HookGroup {
  event: string;
  path: JsonPath;
  value: Record<string, unknown>;
  handlers: readonly unknown[];
  /** Positions of drwn's handlers. */
  ours: number[];
}

/**
 * Refuses `hooks` that isn't an object, an event of the agent that isn't a list, and an item in it that isn't an
 * object. It leaves names alone that the agent ignores.
 */
export function requireHookShape(file: JsonFile, { events, items }: HookFormat): void {
  if (items === "entries") return;
  for (const [event, groups] of Object.entries(requireObject(file, ["hooks"]))) {
    if (!events.has(event)) continue;
    if (!Array.isArray(groups)) throw unexpected(file, ["hooks", event], "a list");
    const stray = groups.findIndex((group) => !isObject(group));
    if (stray >= 0) throw unexpected(file, ["hooks", event, stray], "an object");
  }
}

/** The groups of all events, in the file's order. It skips whatever doesn't have the shape of one. */
export function readHookGroups(file: JsonFile, format: HookFormat, isOurs: (command: string) => boolean): HookGroup[] {
  if (format.items === "entries") return readEntries(file, format, isOurs);
  const hooks = valueAt(file.text, ["hooks"]);
  if (!isObject(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [];
    return groups.flatMap((value: unknown, at) =>
      isObject(value) ? [toGroup({ format, event, path: ["hooks", event, at], value, isOurs })] : [],
    );
  });
}

function readEntries(file: JsonFile, format: HookFormat, isOurs: (command: string) => boolean): HookGroup[] {
  const entries = valueAt(file.text, []);
  return (Array.isArray(entries) ? entries : []).flatMap((value: unknown, at) =>
    isObject(value) ? [toGroup({ format, event: String(value["event"]), path: [at], value, isOurs })] : [],
  );
}

/** The path of the list with this event's entries. */
export function entryListOf({ items }: HookFormat, event: string): JsonPath {
  return items === "entries" ? [] : ["hooks", event];
}

interface GroupRequest {
  format: HookFormat;
  event: string;
  path: JsonPath;
  value: Record<string, unknown>;
  isOurs: (command: string) => boolean;
}

function toGroup({ format, event, path, value, isOurs }: GroupRequest): HookGroup {
  const handlers = handlersOf(format, value);
  const ours = handlers.flatMap((handler, at) => {
    const commands = isObject(handler) ? format.commands.map((field) => handler[field]) : [];
    return commands.some((command) => typeof command === "string" && isOurs(command)) ? [at] : [];
  });
  return { event, path, value, handlers, ours };
}

function handlersOf({ items }: HookFormat, value: Record<string, unknown>): unknown[] {
  if (items === "handlers") return [value];
  if (items === "entries") return [value["handler"]];
  return Array.isArray(value["hooks"]) ? value["hooks"] : [];
}

function unexpected(file: JsonFile, path: JsonPath, shape: string): Error {
  return settingsProblem(file, {
    offset: offsetOfPath(file.text, path),
    expected: `${namePath(path)} to be ${shape}`,
  });
}
