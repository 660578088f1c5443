import { parseStrictJson } from "../../format/json.ts";
import { readBounded } from "../../format/read.ts";
import { isMapping } from "../../helpers/guards.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

export type SettingsFields = Readonly<Record<string, unknown>>;

/** One handler in the hook settings of Claude Code or Codex. */
export interface SettingsEntry {
  event: string;
  /** `hooks.PreToolUse[0].hooks[1]` */
  entry: string;
  matcher: string | null;
  handler: SettingsFields;
}

/**
 * The handlers of a settings file, in order. For any other shape, throws a `Problem` that names file, entry and field.
 */
export function readHookSettings(file: string): { text: string; entries: SettingsEntry[] } {
  const bytes = readBounded(file);
  if (bytes === undefined) throw new Problem("DRWN_POLICIES_UNREADABLE", `there is no ${clean(file)}`);
  const text = bytes.toString("utf8");
  const root = parseStrictJson(text, { file });
  const hooks = isMapping(root) ? (root["hooks"] ?? {}) : undefined;
  if (!isMapping(hooks)) throw refuse(file, "hooks", "should be an object");
  const entries = Object.entries(hooks).flatMap(([event, groups]) =>
    listAt(file, `hooks.${event}`, groups).flatMap((group, at) =>
      readGroup(file, { event, group, name: `hooks.${event}[${at}]` }),
    ),
  );
  return { text, entries };
}

function readGroup(
  file: string,
  { event, group, name }: { event: string; group: unknown; name: string },
): SettingsEntry[] {
  if (!isMapping(group)) throw refuse(file, name, "should be an object");
  const unknown = Object.keys(group).find((field) => field !== "matcher" && field !== "hooks");
  if (unknown !== undefined) throw refuse(file, `${name}.${unknown}`, "is unknown");
  const { matcher = null, hooks } = group;
  if (matcher !== null && typeof matcher !== "string") throw refuse(file, `${name}.matcher`, "should be text");
  return listAt(file, `${name}.hooks`, hooks).map((handler, at) => {
    const entry = `${name}.hooks[${at}]`;
    if (!isMapping(handler)) throw refuse(file, entry, "should be an object");
    return { event, entry, matcher, handler };
  });
}

function listAt(file: string, name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw refuse(file, name, "should be a list");
}

function refuse(file: string, name: string, what: string): Problem {
  return new Problem("DRWN_POLICIES_UNREADABLE", `${clean(file)}, \`${clean(name)}\` ${what}`);
}
