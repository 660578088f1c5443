import { offsetOfPath } from "../../format/edit.ts";
import type { JsonPath } from "../../format/json.ts";
import { CLAUDE_EVENTS } from "./claude-events.ts";
import { isObject, type JsonFile, namePath, requireObject, settingsProblem, valueAt } from "./json-file.ts";

/** One group of handlers in a settings file of Claude Code. */
export interface HookGroup {
  event: string;
  path: JsonPath;
  value: Record<string, unknown>;
  handlers: readonly unknown[];
  /** Positions of the handlers that are drwn's. */
  ours: number[];
}

/**
 * Refuses `hooks` that is no object, an event of Claude Code that is no list, and a group in it that is no object. What
 * stands under names that Claude Code ignores is left alone.
 */
export function requireHookShape(file: JsonFile): void {
  for (const [event, groups] of Object.entries(requireObject(file, ["hooks"]))) {
    if (!CLAUDE_EVENTS.has(event)) continue;
    if (!Array.isArray(groups)) throw unexpected(file, ["hooks", event], "a list");
    const stray = groups.findIndex((group) => !isObject(group));
    if (stray >= 0) throw unexpected(file, ["hooks", event, stray], "an object");
  }
}

/** The groups of all events, in the file's order; what has not the shape of one is passed over. */
export function readHookGroups(file: JsonFile, isOurs: (command: string) => boolean): HookGroup[] {
  const hooks = valueAt(file.text, ["hooks"]);
  if (!isObject(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [];
    return groups.flatMap((value: unknown, at) =>
      isObject(value) ? [toGroup({ event, path: ["hooks", event, at], value, isOurs })] : [],
    );
  });
}

interface GroupRequest {
  event: string;
  path: JsonPath;
  value: Record<string, unknown>;
  isOurs: (command: string) => boolean;
}

function toGroup({ event, path, value, isOurs }: GroupRequest): HookGroup {
  const handlers: unknown[] = Array.isArray(value["hooks"]) ? value["hooks"] : [];
  const ours = handlers.flatMap((handler, at) => {
    const command = isObject(handler) ? handler["command"] : undefined;
    return typeof command === "string" && isOurs(command) ? [at] : [];
  });
  return { event, path, value, handlers, ours };
}

function unexpected(file: JsonFile, path: JsonPath, shape: string): Error {
  return settingsProblem(file, {
    offset: offsetOfPath(file.text, path),
    expected: `${namePath(path)} to be ${shape}`,
  });
}
