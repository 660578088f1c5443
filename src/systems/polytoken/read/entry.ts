import { isMapping } from "../../../helpers/guards.ts";
import { PatternFault } from "../../../helpers/pattern/characters.ts";
import { isPolytokenEvent, POLYTOKEN_HOOK_EVENTS, type PolytokenEvent } from "../words/events.ts";
import { compilePolytokenGlob } from "../words/glob.ts";
import type { PolytokenHook } from "../words/run-hook.ts";

/** An entry `"!name"`, which turns off the global hook of that name in this project. */
export interface Negation {
  off: string;
}

/** What is wrong with an entry, and in which field; an empty path means the entry itself. */
export class EntryFault extends Error {
  readonly field: readonly string[];

  constructor(field: readonly string[], fault: string) {
    super(fault);
    this.field = field;
  }
}

const FIELDS = ["name", "event", "matcher", "handler"];

/** Accepts exactly what Polytoken knows. Anything else is an `EntryFault`, so that no hook silently never fires. */
export function readPolytokenEntry(value: unknown): PolytokenHook | Negation {
  if (typeof value === "string") return readNegation(value);
  if (!isMapping(value)) throw new EntryFault([], `should be an object or "!name", got ${show(value)}`);
  refuseUnknown(value, FIELDS, []);
  const name = readText(value, "name");
  const matcher = value["matcher"] === undefined ? undefined : readMatcher(readText(value, "matcher"));
  return {
    name,
    event: readEvent(readText(value, "event")),
    ...(matcher === undefined ? {} : { matcher }),
    handler: readHandler(value["handler"]),
  };
}

function readNegation(text: string): Negation {
  if (!text.startsWith("!") || text === "!") {
    throw new EntryFault([], `should be a hook, or "!name" to turn off a global one, got ${show(text)}`);
  }
  return { off: text.slice(1) };
}

function readEvent(name: string): PolytokenEvent {
  if (isPolytokenEvent(name)) return name;
  throw new EntryFault(
    ["event"],
    `names the unknown event ${show(name)}; the events are ${POLYTOKEN_HOOK_EVENTS.join(", ")}`,
  );
}

function readMatcher(glob: string): string {
  try {
    compilePolytokenGlob(glob);
    return glob;
  } catch (error) {
    if (!(error instanceof PatternFault)) throw error;
    throw new EntryFault(["matcher"], `${show(glob)} isn't a glob: ${error.message}`);
  }
}

function readHandler(value: unknown): { bash: string } {
  if (value === undefined) throw new EntryFault(["handler"], "is missing");
  if (!isMapping(value)) throw new EntryFault(["handler"], `should be an object, got ${show(value)}`);
  refuseUnknown(value, ["bash"], ["handler"]);
  return { bash: readText(value, "bash", ["handler"]) };
}

function readText(from: Readonly<Record<string, unknown>>, key: string, path: readonly string[] = []): string {
  const value = from[key];
  if (value === undefined) throw new EntryFault([...path, key], "is missing");
  if (typeof value !== "string") throw new EntryFault([...path, key], `should be text, got ${show(value)}`);
  // No program takes an argument or a variable with this character.
  if (value.includes("\0")) throw new EntryFault([...path, key], "has a null character");
  if (value === "" && key === "name") throw new EntryFault([...path, key], "is empty");
  return value;
}

function refuseUnknown(value: object, known: readonly string[], path: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new EntryFault([...path, unknown], `is unknown; known are ${known.join(", ")}`);
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
