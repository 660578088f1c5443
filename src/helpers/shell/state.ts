import type { Context } from "./commands.ts";
import type { Unknowns } from "./parse/marks.ts";
import { UnreadableCommand } from "./parse/scan.ts";
import type { Node, Substitution } from "./parse/syntax.ts";

/** The elements of a list; of a list with names, their names. */
export interface List {
  values: readonly string[];
  keys?: readonly string[];
}

/** What a variable may hold: a text, a list, nothing (null), or what the environment says (undefined). */
export type Held = string | List | null | undefined;

export function isList(held: Held): held is List {
  return typeof held === "object" && held !== null;
}

interface Variable {
  /** Any of these. */
  values: readonly Held[];
  isExported: boolean;
  /** `declare -n`: the variable that it stands for. */
  refersTo?: string;
}

/** The shell that reads a text, for the parts of it that do not read commands themselves. */
export interface Shell {
  readonly state: State;
  readonly context: Pick<Context, "input" | "local">;
  readonly exportedFunctions: Set<string>;
  /** A pattern in a list stands for the files that it finds. */
  listed(text: string): string;
  /** What a substitution may print, with unknown parts; its commands are read once. */
  output(part: Substitution): readonly string[];
  /** Reads what is run while a text is expanded: a prompt, a subscript. */
  runExpansionsIn(text: string): void;
}

/** What a name may run: bodies of functions, and texts of aliases. */
export type Callable = Node | string;

interface Functions {
  bodies: readonly Callable[];
}

type Entry = Variable | Functions;

/** Of the texts that one variable may hold: of more, nobody knows which. */
export const MOST_TEXTS = 64;
const MOST_NAMES = 2_000;
const FROM_ENVIRONMENT: Variable = { values: [undefined], isExported: false };
/** Variables that are always in the environment, so that an assignment exports them. */
const ALWAYS_EXPORTED = /^(?:HOME|PATH|USERPROFILE|XDG_\w+)$/;

/** The variables and functions of one shell, as far as its text shows. What isn't here, the environment says. */
export class State {
  readonly unknowns: Unknowns;
  /** A function has `()` behind its name. */
  readonly #entries = new Map<string, Entry>();
  /** What was there before, for each branch that is being read. */
  readonly #before: Map<string, Entry | undefined>[] = [];

  constructor(unknowns: Unknowns) {
    this.unknowns = unknowns;
  }

  valuesOf(name: string): readonly Held[] {
    return this.#variable(this.named(name)).values;
  }

  #variable(name: string): Variable {
    const found = this.#entries.get(name);
    return found === undefined || "bodies" in found ? FROM_ENVIRONMENT : found;
  }

  /** The name behind a reference. */
  named(name: string): string {
    return this.#variable(name).refersTo ?? name;
  }

  assign(name: string, values: readonly Held[]): void {
    const own = this.named(name);
    const isExported = this.#variable(own).isExported || ALWAYS_EXPORTED.test(own);
    const some = values.length > 1 ? distinct(values) : values;
    this.#put(own, { values: some.length > MOST_TEXTS ? [this.unknown(own)] : some, isExported });
  }

  /** Only running the text shows what it holds. */
  unknown(name: string): string {
    return this.unknowns.of(`$(read ${name})`);
  }

  refer(name: string, to: string): void {
    if (name !== to) this.#put(name, { values: [], isExported: false, refersTo: to });
  }

  export(name: string, isExported: boolean): void {
    this.#put(name, { ...this.#variable(name), isExported });
  }

  bodiesOf(name: string): readonly Callable[] {
    const found = this.#entries.get(`${name}()`);
    return found !== undefined && "bodies" in found ? found.bodies : [];
  }

  define(name: string, bodies: readonly Callable[]): void {
    this.#put(`${name}()`, { bodies });
  }

  functions(): [string, readonly Callable[]][] {
    const found: [string, readonly Callable[]][] = [];
    for (const [key, entry] of this.#entries) if ("bodies" in entry) found.push([key.slice(0, -2), entry.bodies]);
    return found;
  }

  /** The variables that a program gets. */
  exported(): [string, readonly Held[]][] {
    const found: [string, readonly Held[]][] = [];
    for (const [name, entry] of this.#entries)
      if ("values" in entry && entry.isExported) found.push([name, entry.values]);
    return found;
  }

  #put(key: string, entry: Entry | undefined): void {
    const before = this.#before.at(-1);
    if (before !== undefined && !before.has(key)) before.set(key, this.#entries.get(key));
    if (entry === undefined) this.#entries.delete(key);
    else this.#entries.set(key, entry);
    if (this.#entries.size > MOST_NAMES) throw new UnreadableCommand("its names are too many");
  }

  /** Reads something whose assignments end with it: a subshell. */
  apart(read: () => void): void {
    const changed = this.#changedBy(read);
    for (const [key, entry] of changed) this.#restore(key, entry);
  }

  /** Reads branches of which one runs; `mayBeNone`: or none. Says which names they set. */
  branches(reads: readonly (() => void)[], mayBeNone: boolean): string[] {
    const before = new Map<string, Entry | undefined>();
    const ends = reads.map((read) => {
      const changed = this.#changedBy(read);
      const end = new Map([...changed.keys()].map((key) => [key, this.#entries.get(key)]));
      for (const [key, entry] of changed) {
        if (!before.has(key)) before.set(key, entry);
        this.#restore(key, entry);
      }
      return end;
    });
    for (const [key, entry] of before) {
      const all = ends.map((end) => (end.has(key) ? end.get(key) : entry));
      this.#put(key, this.#joined(key, mayBeNone ? [entry, ...all] : all));
    }
    return [...before.keys()];
  }

  #changedBy(read: () => void): Map<string, Entry | undefined> {
    const changed = new Map<string, Entry | undefined>();
    this.#before.push(changed);
    read();
    this.#before.pop();
    return changed;
  }

  #restore(key: string, entry: Entry | undefined): void {
    if (entry === undefined) this.#entries.delete(key);
    else this.#entries.set(key, entry);
  }

  #joined(key: string, entries: readonly (Entry | undefined)[]): Entry {
    const bodies = entries.flatMap((entry) => (entry !== undefined && "bodies" in entry ? entry.bodies : []));
    if (key.endsWith("()")) return { bodies: [...new Set(bodies)] };
    const variables = entries.map((entry) => (entry === undefined || "bodies" in entry ? FROM_ENVIRONMENT : entry));
    const values = distinct(variables.flatMap((one) => this.#held(one)));
    const refersTo = variables.findLast((one) => one.refersTo !== undefined)?.refersTo;
    return {
      values: values.length > MOST_TEXTS ? [this.unknown(key)] : values,
      isExported: variables.some(({ isExported }) => isExported),
      ...(refersTo === undefined ? {} : { refersTo }),
    };
  }

  #held({ values, refersTo }: Variable): readonly Held[] {
    return refersTo === undefined ? values : this.valuesOf(refersTo);
  }

  /** Reads the call of a function. What it takes with `local` is afterwards as it was before. */
  call(read: (local: (name: string) => void) => void): void {
    const kept = new Map<string, Entry | undefined>();
    read((name) => {
      if (!kept.has(name)) kept.set(name, this.#entries.get(name));
    });
    for (const [name, entry] of kept) this.#put(name, entry);
  }
}

function distinct(values: readonly Held[]): Held[] {
  if (values.every((value) => typeof value !== "object")) return [...new Set(values)];
  return [...new Map(values.map((value) => [JSON.stringify([value ?? null, value === undefined]), value])).values()];
}
