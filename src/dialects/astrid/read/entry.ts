import { validateHeaderName, validateHeaderValue } from "node:http";
import { isMapping } from "../../../helpers/is-type.ts";
import { PatternFault } from "../../../helpers/pattern/syntax.ts";
import { idFor } from "../hook/emit.ts";
import { isBlockedVariable } from "../words/handlers.ts";
import {
  ASTRID_HOOK_EVENTS,
  type CommandHandler,
  compileAstridMatcher,
  DEFAULTS,
  type Hook,
  type HookHandler,
  type HookMatcher,
  type HttpHandler,
  type WasmHandler,
} from "../words/hook.ts";

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

interface ReadEntry {
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

/** Undefined: there is none, or it is noted as faulty. */
function readHandler(fields: TableReader): HookHandler | undefined {
  const table = fields.table("handler");
  if (table === undefined) {
    if (fields.faults.every(({ field }) => field !== "handler")) fields.refuse("handler", "is missing");
    return undefined;
  }
  const type = table.requiredOneOf("type", ["command", "http", "wasm"]);
  if (type === "command") return readCommand(table);
  if (type === "http") return readHttp(table);
  return type === "wasm" ? readWasm(table) : undefined;
}

function readCommand(table: TableReader): CommandHandler {
  table.allowOnly(["type", "command", "args", "env", "working_dir"]);
  return {
    type: "command",
    command: table.requiredText("command"),
    args: table.texts("args") ?? [],
    env: table.textTable("env") ?? {},
    workingDir: table.text("working_dir") ?? null,
  };
}

function readHttp(table: TableReader): HttpHandler {
  table.allowOnly(["type", "url", "method", "headers", "body_template"]);
  const method = table.text("method") ?? DEFAULTS.method;
  const headers = table.textTable("headers") ?? {};
  if (!/^[A-Za-z]+$/u.test(method)) table.refuse("method", "isn't an HTTP method");
  for (const [name, value] of Object.entries(headers)) checkHeader(table, name, value);
  return {
    type: "http",
    url: readUrl(table),
    method,
    headers,
    bodyTemplate: table.text("body_template") ?? null,
  };
}

function readUrl(table: TableReader): string {
  const url = table.requiredText("url");
  if (url !== "" && !/^https?:\/\//u.test(url)) table.refuse("url", "should begin with http:// or https://");
  else if (url !== "" && !URL.canParse(url)) table.refuse("url", "isn't a URL");
  return url;
}

function checkHeader(table: TableReader, name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    table.refuse(`headers.${name}`, "isn't an HTTP header");
  }
}

function readWasm(table: TableReader): WasmHandler {
  table.allowOnly(["type", "module_path", "function"]);
  return {
    type: "wasm",
    modulePath: table.requiredText("module_path"),
    function: table.text("function") ?? DEFAULTS.function,
  };
}

/** What is wrong with a field, and its path from the top of the entry. */
interface FieldFault {
  field: string;
  what: string;
}

/** Reads the fields of one table, and notes everything that is wrong with them. */
class TableReader {
  readonly faults: FieldFault[];
  readonly #table: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(table: Readonly<Record<string, unknown>>, path = "", faults: FieldFault[] = []) {
    this.#table = table;
    this.#path = path;
    this.faults = faults;
  }

  refuse(field: string, what: string): undefined {
    this.faults.push({ field: this.#path + field, what });
  }

  allowOnly(known: readonly string[]): void {
    for (const field of Object.keys(this.#table)) {
      if (!known.includes(field)) this.refuse(field, `is unknown; known are ${known.join(", ")}`);
    }
  }

  /** Undefined: it is missing, or it isn't text, which is noted. */
  text(field: string): string | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    if (typeof value !== "string") return this.#mistyped(field, "text");
    // No program, path or header takes this character.
    return value.includes("\0") ? this.refuse(field, "has a null character") : value;
  }

  requiredText(field: string): string {
    const value = this.text(field);
    if (this.#table[field] === undefined) this.refuse(field, "is missing");
    if (value === "") this.refuse(field, "is empty");
    return value ?? "";
  }

  integer(field: string, [least, most]: readonly [number, number]): number | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    return this.#mistyped(field, `a whole number from ${least} to ${most}`);
  }

  boolean(field: string): boolean | undefined {
    const value = this.#table[field];
    return value === undefined || typeof value === "boolean" ? value : this.#mistyped(field, "true or false");
  }

  texts(field: string): string[] | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    const isList = Array.isArray(value) && value.every((item) => typeof item === "string" && !item.includes("\0"));
    return isList ? value : this.#mistyped(field, "a list of texts");
  }

  textTable(field: string): Record<string, string> | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    if (!isMapping(value)) return this.#mistyped(field, "a table of texts");
    const entries = Object.entries(value).filter((entry): entry is [string, string] => {
      if (typeof entry[1] === "string" && !entry[1].includes("\0")) return true;
      return this.refuse(`${field}.${entry[0]}`, `should be text, got ${show(entry[1])}`) ?? false;
    });
    return Object.fromEntries(entries);
  }

  oneOf<T extends string>(field: string, choices: readonly T[]): T | undefined {
    const value = this.#table[field];
    const choice = choices.find((one) => one === value);
    if (choice !== undefined || value === undefined) return choice;
    return this.refuse(field, `is ${show(value)}; there are ${choices.join(", ")}`);
  }

  requiredOneOf<T extends string>(field: string, choices: readonly T[]): T | undefined {
    if (this.#table[field] === undefined) this.refuse(field, `is missing; there are ${choices.join(", ")}`);
    return this.oneOf(field, choices);
  }

  /** A table inside this one. Its faults are reported with this one's. */
  table(field: string): TableReader | undefined {
    const value = this.#table[field];
    if (value === undefined) return undefined;
    if (!isMapping(value)) return this.#mistyped(field, "a table");
    return new TableReader(value, `${this.#path}${field}.`, this.faults);
  }

  #mistyped(field: string, wanted: string): undefined {
    return this.refuse(field, `should be ${wanted}, got ${show(this.#table[field])}`);
  }
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80);
}
