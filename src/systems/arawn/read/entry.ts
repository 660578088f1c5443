import { isMapping } from "../../../helpers/guards.ts";
import { ARAWN_HOOK_EVENTS, type ArawnEvent, isArawnEvent } from "../hook/events.ts";
import { type ArawnLoadFault, DEFAULT_TIMEOUT_MS, type Generation, type HookDef, type Origin } from "../hook/hook.ts";
import type { Filter, FilterResult } from "./filters.ts";

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
