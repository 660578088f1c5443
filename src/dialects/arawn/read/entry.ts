import { sortedJson } from "../../../helpers/handlers/protocols.ts";
import { isMapping } from "../../../helpers/is-type.ts";
import { compileGlob, type GlobDialect } from "../../../helpers/pattern/glob.ts";
import { compileLinear } from "../../../helpers/pattern/linear-pattern.ts";
import { PatternFault } from "../../../helpers/pattern/syntax.ts";
import {
  ARAWN_HOOK_EVENTS,
  type ArawnEvent,
  type ArawnLoadFault,
  type ArawnSubject,
  DEFAULT_TIMEOUT_MS,
  type Generation,
  type HookDef,
  isArawnEvent,
  type Origin,
} from "../hook/hook.ts";

/** The file that is being read, and the faults found in it. */
export class Reading {
  readonly faults: ArawnLoadFault[] = [];
  readonly file: string;
  /** Where its hooks run. */
  readonly folder: string;
  readonly generation: Generation;

  constructor(place: { file: string; folder: string; generation: Generation }) {
    this.file = place.file;
    this.folder = place.folder;
    this.generation = place.generation;
  }

  refuse(entry: string, field: string | null, what: string): undefined {
    this.faults.push({ file: this.file, entry, field, what, isNote: false });
  }

  note(entry: string, what: string): undefined {
    this.faults.push({ file: this.file, entry, field: null, what, isNote: true });
  }
}

/** Reads the fields of an entry one by one, and notes what is wrong with each. */
export class Entry {
  readonly #reading: Reading;
  readonly #table: Readonly<Record<string, unknown>>;
  readonly name: string;

  constructor(reading: Reading, name: string, table: Readonly<Record<string, unknown>>) {
    this.#reading = reading;
    this.#table = table;
    this.name = name;
  }

  refuse(field: string | null, what: string): undefined {
    return this.#reading.refuse(this.name, field, what);
  }

  allowOnly(fields: readonly string[]): void {
    for (const field of Object.keys(this.#table)) {
      if (!fields.includes(field)) this.refuse(field, `is unknown; there are ${fields.join(", ")}`);
    }
  }

  text(field: string): string | null | undefined {
    const value = this.#table[field];
    if (value === undefined || value === null) return null;
    if (typeof value === "string") return value;
    return this.refuse(field, `should be text, got ${entryNameOf(value)}`);
  }

  requiredText(field: string): string | undefined {
    const text = this.text(field);
    if (text === null || text === "") return this.refuse(field, "is missing");
    return text;
  }

  event(field: string): ArawnEvent | undefined {
    const name = this.requiredText(field);
    return name === undefined ? undefined : this.knownEvent(name, field);
  }

  knownEvent(name: string, field: string | null): ArawnEvent | undefined {
    if (isArawnEvent(name)) return name;
    return this.refuse(field, `\`${name}\` isn't an event; there are ${ARAWN_HOOK_EVENTS.join(", ")}`);
  }

  /** Undefined: it was refused. Null: there is none. */
  filter(field: string, text: string | null | undefined, compile: (text: string) => FilterResult) {
    if (text === undefined || text === null) return text;
    const result = compile(text);
    return "filter" in result ? result.filter : this.refuse(field, `\`${text}\` is refused: ${result.fault}`);
  }

  number(field: string): number | null | undefined {
    const value = this.#table[field];
    if (value === undefined || value === null) return null;
    if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
    return this.refuse(field, "should be a number above 0");
  }

  origin(): Origin {
    return { file: this.#reading.file, entry: this.name };
  }
}

interface HookParts {
  event: ArawnEvent;
  command: string;
  toolMatch?: string | null;
  matchPattern?: string | null;
  filters: readonly (Filter | null)[];
  timeoutMs?: number;
}

export function hookFrom(reading: Reading, entry: Entry, parts: HookParts): HookDef {
  const { event, command, toolMatch = null, matchPattern = null, timeoutMs = DEFAULT_TIMEOUT_MS } = parts;
  const { folder, generation } = reading;
  const isFor: Filter = (subject) => parts.filters.every((filter) => filter === null || filter(subject));
  return {
    event,
    generation,
    origin: entry.origin(),
    folder,
    command,
    toolMatch,
    matchPattern,
    timeoutMs,
    isFor,
  };
}

export function entryNameOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return isMapping(value) ? "a table" : `the ${typeof value} ${String(value)}`;
}

type Filter = (subject: ArawnSubject) => boolean;

/** A filter, or what is wrong with its text. */
type FilterResult = { filter: Filter } | { fault: string };

/** Slashes, braces, bars and backslashes are ordinary characters. */
const GLOB: GlobDialect = { stopsAtSlash: false, stars: "whole-parts", negations: ["!"], hasBraces: false };

/** A filter for the whole name of the tool. */
export function toolFilter(glob: string): FilterResult {
  return orFault(() => {
    const matches = compileGlob(glob, GLOB);
    return ({ tool }) => tool !== undefined && matches(tool);
  });
}

/**
 * A filter that searches anywhere in the params as JSON. Params that are too large to search in time count as a match,
 * so that the hook decides.
 */
export function paramsFilter(pattern: string): FilterResult {
  return orFault(() => {
    const compiled = compileLinear(pattern);
    return ({ params }) => params !== undefined && compiled.search(sortedJson(params)) !== false;
  });
}

/** A matcher from settings: `A|B`, each a glob, or `Name(glob on the JSON text of the input)`. */
export function settingsFilter(matcher: string): FilterResult {
  return orFault(() => {
    const alternatives = splitAlternatives(matcher).map((text) => {
      const [, name = text, input] = /^([^()]*)\((.*)\)$/su.exec(text) ?? [];
      if (name === "") throw new PatternFault("an alternative names no tool");
      if (/[()]/u.test(name)) throw new PatternFault("a parenthesis is not closed, or opens nothing");
      const isTool = compileGlob(name, GLOB);
      const isInput = input === undefined ? undefined : compileGlob(input, GLOB);
      return ({ tool, params }: ArawnSubject) =>
        tool !== undefined && isTool(tool) && (isInput === undefined || isInput(sortedJson(params)));
    });
    return (subject) => alternatives.some((one) => one(subject));
  });
}

/** Splits at every bar that isn't inside parentheses. */
function splitAlternatives(matcher: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of matcher) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "|" && depth === 0) parts.push("");
    else parts.push((parts.pop() ?? "") + character);
  }
  return parts;
}

function orFault(compile: () => Filter): FilterResult {
  try {
    return { filter: compile() };
  } catch (error) {
    if (error instanceof PatternFault) return { fault: error.message };
    throw error;
  }
}
