import type { JsonPath } from "../../format/json.ts";
import { isObject } from "../../wiring/json-file.ts";

/**
 * What Claude Code expects at a place below one event. One such fault makes it silently drop every hook of the event.
 */
export interface GroupFault {
  path: JsonPath;
  /** Completes "expected …". */
  expected: string;
}

/** The text fields that a handler of each type must have. */
const HANDLER_TYPES = new Map([
  ["agent", ["prompt"]],
  ["command", ["command"]],
  ["http", ["url"]],
  ["mcp_tool", ["server", "tool"]],
  ["prompt", ["prompt"]],
]);

/** The handler types whose failure can block the call. */
const BLOCKING_TYPES = new Set(["command", "http", "mcp_tool"]);

/** The faults in the groups of one event, in the file's order. */
export function findGroupFaults(groups: unknown): GroupFault[] {
  if (!Array.isArray(groups)) return [{ path: [], expected: "a list of groups" }];
  return groups.flatMap((group: unknown, at) => {
    if (!isObject(group)) return [{ path: [at], expected: "a group to be an object" }];
    return [...findMatcherFaults(group, at), ...findHandlersFaults(group, at)];
  });
}

function findMatcherFaults(group: Record<string, unknown>, at: number): GroupFault[] {
  if (!Object.hasOwn(group, "matcher") || typeof group["matcher"] === "string") return [];
  return [{ path: [at, "matcher"], expected: "`matcher` to be text, or absent" }];
}

function findHandlersFaults(group: Record<string, unknown>, at: number): GroupFault[] {
  const handlers = group["hooks"];
  if (!Array.isArray(handlers)) return [{ path: [at, "hooks"], expected: "`hooks` of a group to be a list" }];
  return handlers.flatMap((handler: unknown, position) =>
    describeFaults(handler).map(({ path, expected }) => ({ path: [at, "hooks", position, ...path], expected })),
  );
}

function describeFaults(handler: unknown): GroupFault[] {
  if (!isObject(handler)) return [{ path: [], expected: "a handler to be an object" }];
  const type = handler["type"];
  const required = typeof type === "string" ? HANDLER_TYPES.get(type) : undefined;
  if (typeof type !== "string" || required === undefined) {
    return [{ path: ["type"], expected: `\`type\` to be one of ${[...HANDLER_TYPES.keys()].join(", ")}` }];
  }
  const faults = required
    .filter((field) => typeof handler[field] !== "string")
    .map((field): GroupFault => ({ path: [field], expected: `\`${field}\` to be text` }));
  const { timeout, onFailure } = { timeout: handler["timeout"], onFailure: handler["onFailure"] };
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
    faults.push({ path: ["timeout"], expected: "`timeout` to be a number above 0" });
  }
  if (BLOCKING_TYPES.has(type) && onFailure !== undefined && onFailure !== "continue" && onFailure !== "block") {
    faults.push({ path: ["onFailure"], expected: '`onFailure` to be "continue" or "block"' });
  }
  return faults;
}
