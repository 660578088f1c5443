import { PatternFault } from "../../../helpers/pattern/characters.ts";
import { idFor } from "../hook/hook-id.ts";
import { isBlockedVariable } from "../words/environment.ts";
import { ASTRID_HOOK_EVENTS } from "../words/events.ts";
import { DEFAULTS, type Hook, type HookMatcher } from "../words/hook.ts";
import { compileAstridMatcher } from "../words/matcher.ts";
import { readHandler } from "./handler.ts";
import { type FieldFault, TableReader } from "./table.ts";

const FIELDS = [
  "id",
  "name",
  "description",
  "event",
  "matcher",
  "handler",
  "timeout_secs",
  "fail_action",
  "async_mode",
  "enabled",
  "priority",
];
const FAIL_ACTIONS = ["warn", "block", "ignore"] as const;
/** More than a century: no hook needs more, and in milliseconds it is still an exact number. */
const MOST_SECONDS = 2 ** 32;
const PRIORITIES = [-(2 ** 31), 2 ** 31 - 1] as const;

export interface ReadEntry {
  /** Null: it has faults. */
  hook: Hook | null;
  faults: readonly FieldFault[];
  /** What Astrid ignores, saying so when it runs the hook. */
  notes: readonly string[];
}

/**
 * Reads one hook from its table. A missing id is made from `place`: the same file gives the same id, whatever it says.
 */
export function readAstridEntry(table: Readonly<Record<string, unknown>>, place: string): ReadEntry {
  const fields = new TableReader(table);
  fields.allowOnly(FIELDS);
  const name = fields.text("name") ?? null;
  const event = fields.requiredOneOf("event", ASTRID_HOOK_EVENTS);
  const matcher = readMatcher(fields);
  const handler = readHandler(fields);
  const hook = {
    id: readId(fields) ?? idFor(`${place}\n${name ?? ""}`),
    name,
    description: fields.text("description") ?? null,
    matcher,
    timeoutSecs: fields.integer("timeout_secs", [1, MOST_SECONDS]) ?? DEFAULTS.timeoutSecs,
    failAction: fields.oneOf("fail_action", FAIL_ACTIONS) ?? DEFAULTS.failAction,
    asyncMode: fields.boolean("async_mode") ?? DEFAULTS.asyncMode,
    enabled: fields.boolean("enabled") ?? DEFAULTS.enabled,
    priority: fields.integer("priority", PRIORITIES) ?? DEFAULTS.priority,
  };
  const { faults } = fields;
  if (event === undefined || handler === undefined || faults.length > 0) return { hook: null, faults, notes: [] };
  const dropped = handler.type === "command" ? Object.keys(handler.env).filter(isBlockedVariable) : [];
  const notes = dropped.map((variable) => `handler.env.${variable} is not passed on: no hook sets it`);
  return { hook: { ...hook, event, handler }, faults: [], notes };
}

function readId(fields: TableReader): string | undefined {
  const id = fields.text("id");
  if (id === undefined || /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu.test(id)) return id;
  return fields.refuse("id", `should be a UUID, got ${JSON.stringify(id).slice(0, 80)}`);
}

function readMatcher(fields: TableReader): HookMatcher | null {
  const table = fields.table("matcher");
  if (table === undefined) return null;
  const type = table.requiredOneOf("type", ["glob", "regex", "tool_names", "server_names"]);
  if (type === undefined) return null;
  if (type === "tool_names" || type === "server_names") {
    table.allowOnly(["type", "names"]);
    const names = table.texts("names");
    if (names === undefined && table.faults.every(({ field }) => field !== "matcher.names")) {
      table.refuse("names", "is missing");
    }
    return { type, names: names ?? [] };
  }
  table.allowOnly(["type", "pattern"]);
  return checkPattern(table, { type, pattern: table.requiredText("pattern") });
}

function checkPattern(table: TableReader, matcher: HookMatcher & { pattern: string }): HookMatcher | null {
  try {
    compileAstridMatcher(matcher);
    return matcher;
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    table.refuse("pattern", `isn't a ${matcher.type === "glob" ? "glob" : "regular expression"}: ${error.message}`);
    return null;
  }
}
