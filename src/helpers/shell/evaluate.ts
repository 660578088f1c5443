import { oneOf } from "../pattern/one-of.ts";
import { calculated } from "./arithmetic.ts";
import { assigned } from "./assign.ts";
import { applyBuiltin, declareNames } from "./builtins.ts";
import {
  type Context,
  distinctCommands,
  isInput,
  NOBODY,
  type ReadCommand,
  type ReadShellCommand,
  type Redirection,
} from "./commands.ts";
import { Expander } from "./expand.ts";
import { isUnknown, type Unknowns, unquoted } from "./parse/marks.ts";
import { isDeclaring, parseScript, parseText } from "./parse/parse-script.ts";
import { UnreadableCommand } from "./parse/scan.ts";
import type {
  Compound,
  For,
  Item,
  Node,
  Part,
  Script,
  Simple,
  Substitution,
  Word,
  WrittenRedirection,
} from "./parse/syntax.ts";
import { printedBy } from "./print.ts";
import { Round, rounds } from "./round.ts";
import { type Callable, isList, MOST_TEXTS, type Shell, State } from "./state.ts";

/** A command whose words may come out in more ways is read once, with all of them. */
const MOST_ROUNDS = 16;
/** A loop over more values is read once, with all of them. */
const MOST_UNROLLED = 8;
/** Loops whose bodies are read again, since a later round finds what an earlier one set. */
const MOST_REPEATS = 64;
/** Functions that call each other could go on for ever. */
const MOST_CALLS = 300;
/** Of a longer list with `&&`, nobody knows how far it runs. */
const LONGEST_CHAIN = 100;
/** A pipe after a longer group reads only the group's last commands. */
const LONGEST_GROUP = 40;
/** More than anybody types; a limit on what loops and functions make of a text. */
const MOST_COMMANDS = 50_000;

/** What all shells of a text share. */
export interface WholeReading {
  readonly unknowns: Unknowns;
  readonly found: ReadShellCommand[];
  /** What the commands of `<(…)` print, by the mark that stands for it; what git's aliases run, by `alias.name`. */
  readonly printed: Map<string, readonly string[]>;
  readonly aliases: Map<string, string[]>;
  /** Takes a command as it is read, with those that it starts. */
  readonly take: (read: ReadCommand, evaluator: ShellReader) => void;
  counts: { calls: number; repeats: number; commands: number };
}

/** Reads what a shell would run of a text, with the values that variables may have there. */
export class ShellReader implements Shell {
  readonly state: State;
  readonly reading: WholeReading;
  context: Context = { starter: undefined, fedBy: NOBODY, input: [], isCaptured: false, local: undefined };
  /** A command may have other words, so that it isn't certain that its text is read. */
  isOneOfSeveral = false;
  readonly atEnd: { text: string; starter: ReadShellCommand | undefined }[] = [];
  readonly exportedFunctions = new Set<string>();
  #outputs = new Map<Part, readonly string[]>();
  readonly #called = new Set<string>();
  readonly #active = new Set<Callable>();
  #unrolled = 1;
  #breaks = 0;
  /** What the bodies of loops that are read again have shown already. */
  #shown: Set<string> | undefined;

  constructor(reading: WholeReading, state = new State(reading.unknowns)) {
    this.reading = reading;
    this.state = state;
  }

  read(text: string, starter: ReadShellCommand | undefined): void {
    this.within({ starter, fedBy: NOBODY, input: [] }, () => this.#script(parseScript(text)));
    for (const end of this.atEnd.splice(0)) this.within({ starter: end.starter }, () => this.runText(end.text));
    // The bodies of functions that the text doesn't call: what it starts may call them.
    for (const [name, bodies] of this.state.functions())
      if (!this.#called.has(name))
        for (const body of bodies)
          if (typeof body !== "string")
            this.within({ starter }, () => this.state.apart(() => void this.#node(body, NOBODY)));
  }

  /** Reads a text that this shell itself runs. */
  runText(text: string): void {
    this.#script(parseScript(text));
  }

  within(context: Partial<Context>, read: () => void): void {
    const before = this.context;
    this.context = { ...before, ...context };
    read();
    this.context = before;
  }

  #script(script: Script, note?: (item: Item, done: readonly ReadCommand[]) => void): ReadCommand[] {
    const done: ReadCommand[] = [];
    const run = (item: Item | undefined) => {
      if (item === undefined) return;
      const found = this.#pipe(item);
      note?.(item, found);
      done.push(...found);
    };
    // What comes after `&&` runs if all before it ran; after `||`, nobody knows which ran.
    const from = (at: number, depth = 0): number => {
      let end = at + 1;
      run(script[at]);
      const isNested = script[end]?.before === "&&" && script[at]?.before !== "||" && depth < LONGEST_CHAIN;
      const next = () => {
        end = from(end, depth + 1);
      };
      if (isNested) this.state.branches([next], true);
      return end;
    };
    for (let at = 0; at < script.length; ) {
      const next = () => {
        at = from(at);
      };
      if (script[at]?.before === "") next();
      else this.state.branches([next], true);
    }
    return done;
  }

  #pipe({ stages, isApart }: Item): ReadCommand[] {
    let done: ReadCommand[] = [];
    const { fedBy } = this.context;
    const read = () => {
      for (const [at, stage] of stages.entries()) {
        const before = at === 0 ? fedBy : done.slice(-LONGEST_GROUP).reverse();
        const next = () => {
          done = this.#node(stage, before);
        };
        if (stages.length === 1) next();
        else if (at < stages.length - 1) this.state.apart(next);
        // zsh runs the last part of a pipe itself.
        else this.state.branches([next], true);
      }
    };
    if (isApart) this.state.apart(read);
    else read();
    return done;
  }

  /** Reads a command; gives the commands of its own level. */
  #node(node: Node, fedBy: readonly ReadCommand[]): ReadCommand[] {
    if (node.kind === "simple") return this.#simple(node, fedBy);
    if (node.kind === "function") {
      for (const name of node.names) this.state.define(name, [node.body]);
      return [];
    }
    const redirections = node.redirections.length === 0 ? [] : this.#redirectionsOf(node.redirections);
    let done: ReadCommand[] = [];
    this.within({ fedBy, input: [...redirections, ...this.context.input] }, () => {
      done = this.#compound(node);
    });
    if (redirections.length === 0) return done;
    const command = { words: [], assignments: [], redirections, fedBy, isCaptured: this.context.isCaptured };
    this.#show(command);
    return [...done, command];
  }

  #compound(node: Compound): ReadCommand[] {
    const done: ReadCommand[] = [];
    const read = (script: Script) => () => void done.push(...this.#script(script));
    if (node.kind === "group") {
      if (node.isApart) this.state.apart(read(node.body));
      else read(node.body)();
    } else if (node.kind === "if") this.#if(node.branches, read);
    else if (node.kind === "while") {
      this.#showOnce(() => {
        read(node.condition)();
        this.#repeat(() => {
          read(node.body)();
          read(node.condition)();
        });
      });
    } else if (node.kind === "for") this.#for(node, read(node.body));
    else if (node.kind === "case") {
      this.#expand((expander) =>
        [node.word, ...node.arms.flatMap(({ patterns }) => patterns)].map((word) => expander.text(word)),
      );
      const isWhole = node.arms.some(({ patterns }) => patterns.some(({ source }) => source === "*"));
      this.state.branches(
        node.arms.map(({ body }) => read(body)),
        !isWhole,
      );
    } else this.#test(node.words, node.arithmetic);
    return done;
  }

  #if(branches: readonly { condition: Script; body: Script }[], read: (script: Script) => () => void): void {
    const [first, ...others] = branches;
    if (first === undefined) return;
    read(first.condition)();
    if (first.condition.length === 0) read(first.body)();
    else this.state.branches([read(first.body), () => this.#if(others, read)], false);
  }

  #test(words: readonly Word[], arithmetic: string | undefined): void {
    this.#expand((expander) => {
      const texts = words.map((word) => expander.text(word));
      if (arithmetic !== undefined) calculated(texts.join(""), expander, this);
      else if (texts.some((text) => oneOf("-eq -ne -lt -le -gt -ge -v")(text)))
        for (const text of texts) {
          this.runExpansionsIn(unquoted(text));
          const value = /^[A-Za-z_]\w*$/.test(text) ? expander.lookup(text) : undefined;
          if (typeof value === "string") this.runExpansionsIn(value);
        }
    });
  }

  /** Expands words of something that isn't a simple command, and keeps what that assigns. */
  #expand<T>(expand: (expander: Expander) => T): T[] {
    const outputs = this.#outputs;
    this.#outputs = new Map();
    const made = this.#rounds(MOST_TEXTS, (round) => expand(new Expander(this, round)));
    this.#outputs = outputs;
    return made;
  }

  /** All rounds of an expansion; of too many, the first one. What they assign is kept. */
  #rounds<T>(most: number, read: (round: Round) => T): T[] {
    const seen: Round[] = [];
    const made = rounds(most, (round) => {
      seen.push(round);
      return read(round);
    });
    this.#keep(seen);
    return made ?? [read(new Round([]))];
  }

  /** Sets the variables that some rounds have set. */
  #keep(seen: readonly Round[]): void {
    const names = new Set(seen.flatMap((round) => [...round.set.keys()]));
    for (const name of names) {
      const isAlways = seen.every((round) => round.set.has(name));
      const values = seen.flatMap((round) => (round.set.has(name) ? [round.set.get(name)] : []));
      this.state.assign(name, isAlways ? values : [...this.state.valuesOf(name), ...values]);
    }
  }

  #for({ names, values, header }: For, body: () => void): void {
    const [name = "x"] = names;
    const lists = this.#expand((expander) => {
      expander.textOf(header);
      if (values !== undefined) return values.flatMap((word) => expander.fields(word));
      const given = expander.lookup("@");
      return isList(given) ? given.values : [this.state.unknowns.of("$@")];
    });
    const texts = lists.flat().map((text) => this.listed(text));
    if (header.length > 0 || texts.length === 0) {
      for (const one of names) this.state.assign(one, [this.state.unknown(one)]);
      this.#repeat(body);
    } else if (lists.length === 1 && names.length === 1 && texts.length * this.#unrolled <= MOST_UNROLLED)
      this.#unroll(name, texts, body);
    else {
      for (const one of names) this.state.assign(one, texts);
      this.#repeat(body);
    }
  }

  #unroll(name: string, texts: readonly string[], body: () => void): void {
    this.#unrolled *= texts.length;
    const breaks = this.#breaks;
    for (const text of texts) {
      const round = () => {
        this.state.assign(name, [text]);
        body();
      };
      if (this.#breaks > breaks || isUnknown(text)) this.state.branches([round], true);
      else round();
    }
    this.#unrolled /= texts.length;
  }

  /** A pattern in a list stands for the files that it finds. */
  listed(text: string): string {
    return /[*?[]/.test(text) ? this.state.unknowns.of(this.state.unknowns.written(text)) : unquoted(text);
  }

  /** Reads the body of a loop that may run any number of times, until it finds no other values. */
  #repeat(body: () => void): void {
    this.#showOnce(() => this.#repeatShown(body));
  }

  /** Reads something whose commands are read more than once. */
  #showOnce(read: () => void): void {
    const shown = this.#shown;
    this.#shown ??= new Set();
    read();
    this.#shown = shown;
  }

  #repeatShown(body: () => void): void {
    const snapshot = (names: readonly string[]) =>
      JSON.stringify(names.map((name) => this.state.valuesOf(name).map((value) => value ?? null)));
    const first = this.state.branches([body], true).filter((name) => !name.endsWith("()"));
    if (first.length > 0 && ++this.reading.counts.repeats <= MOST_REPEATS) {
      const before = snapshot(first);
      this.state.branches([body], true);
      if (snapshot(first) !== before) {
        for (const name of first) this.state.assign(name, [this.state.unknown(name)]);
        this.state.branches([body], true);
      }
    } else for (const name of first) this.state.assign(name, [this.state.unknown(name)]);
  }

  #simple(node: Simple, fedBy: readonly ReadCommand[]): ReadCommand[] {
    const { words, assignments } = node;
    // A substitution in the second assignment finds what the first one sets.
    if (words.length > 0 || assignments.length < 2) return this.#oneSimple(node, fedBy);
    return assignments.flatMap((one, at) => {
      const redirections = at === 0 ? node.redirections : [];
      return this.#oneSimple({ ...node, assignments: [one], redirections }, fedBy);
    });
  }

  #oneSimple(node: Simple, fedBy: readonly ReadCommand[]): ReadCommand[] {
    const outputs = this.#outputs;
    this.#outputs = new Map();
    const commands = this.#commandsOf(node, fedBy);
    this.#outputs = outputs;
    const [{ words: [program = ""] = [] } = {}] = commands;
    if (oneOf("break continue return exit")(program)) this.#breaks++;
    const { isOneOfSeveral } = this;
    this.isOneOfSeveral ||= commands.length > 1;
    const effects = commands.map((command) => () => {
      this.#show(command);
      applyBuiltin(command, this);
    });
    if (effects.length === 1) effects[0]?.();
    else this.state.branches(effects, false);
    this.isOneOfSeveral = isOneOfSeveral;
    return commands;
  }

  /** The ways in which a simple command may come out. */
  #commandsOf(node: Simple, fedBy: readonly ReadCommand[]): ReadCommand[] {
    const isLasting = node.words.length === 0 || isDeclaring(node.words[0]?.source ?? "");
    const seen: Round[] = [];
    const read = (round: Round): ReadCommand => {
      const expander = new Expander(this, round);
      const words = node.words.flatMap((word) => expander.fields(word));
      const own = node.redirections.map((one) => this.#redirection(one, expander));
      // `while read x; do …; done <<< text`: the input of a loop is what its `read` reads.
      const input = oneOf("read mapfile readarray")(words[0] ?? "") ? this.context.input.filter(isInput) : [];
      const redirections = own.some(isInput) ? own : [...own, ...input];
      const kept = new Map(round.set);
      const assignments = node.assignments.map((one) => assigned(one, expander, this));
      if (!isLasting) {
        round.set.clear();
        for (const [name, value] of kept) round.set.set(name, value);
      }
      seen.push(round);
      const { context } = this;
      const feeders = fedBy.length > 0 ? fedBy : context.fedBy;
      return { words, assignments, redirections, fedBy: feeders, isCaptured: context.isCaptured };
    };
    const most = node.words.length === 0 ? MOST_TEXTS : MOST_ROUNDS;
    const made = rounds(most, read);
    const commands = made ?? this.#together(node, read);
    const keep = () => {
      this.#keep(seen);
      if (made === null) for (const { name } of node.assignments) this.state.assign(name, [this.state.unknown(name)]);
    };
    if (isLasting && node.words.length > 0) declareNames(commands[0], this, keep);
    else keep();
    return commands.length === 1 ? commands : distinctCommands(commands);
  }

  /** A command with too many ways to come out, with everything that each of its words may be. */
  #together(node: Simple, read: (round: Round) => ReadCommand): ReadCommand[] {
    const first = read(new Round([]));
    const all = node.words.map((word) => {
      const ways = rounds(MOST_TEXTS, (round) => new Expander(this, round).fields(word));
      return ways === null ? [[this.state.unknowns.of(word.source)]] : ways;
    });
    const [programs = [[]], ...others] = all;
    const rest = others.flatMap((ways) => [...new Set(ways.flat())]);
    return programs.map((program) => ({ ...first, words: [...program, ...rest] }));
  }

  #redirectionsOf(written: readonly WrittenRedirection[]): Redirection[] {
    return this.#expand((expander) => written.map((one) => this.#redirection(one, expander))).flat();
  }

  #redirection({ descriptor, operator, target, body }: WrittenRedirection, expander: Expander): Redirection {
    return {
      operator,
      target:
        operator.startsWith("<<") && operator !== "<<<"
          ? target.source.replace(/\\(.)|["']/gu, "$1")
          : expander.text(target),
      ...(descriptor === null ? {} : { descriptor }),
      ...(body === undefined ? {} : { body: unquoted(expander.textOf(body)) }),
    };
  }

  /** Shows a command, unless a loop has shown it before. */
  #show(command: ReadCommand): void {
    const { words, assignments, redirections } = command;
    if (words.length === 0 && assignments.length === 0 && redirections.length === 0) return;
    if (this.#shown !== undefined && this.state.bodiesOf(words[0] ?? "").length === 0) {
      const around = [this.context.starter?.command.path, this.state.exported()];
      const key = JSON.stringify([words, assignments, redirections, around]);
      if (this.#shown.has(key)) return;
      this.#shown.add(key);
    }
    if (++this.reading.counts.commands > MOST_COMMANDS) throw new UnreadableCommand("it has too many commands");
    this.reading.take(command, this);
  }

  /** Reads the bodies of a function or an alias that a command calls. */
  call(name: string, read: ReadCommand, own: ReadShellCommand): void {
    // Recursion adds nothing to the function's first round.
    const bodies = this.state.bodiesOf(name).filter((body) => !this.#active.has(body));
    if (bodies.length === 0) return;
    if (++this.reading.counts.calls > MOST_CALLS) throw new UnreadableCommand("its functions are too many");
    this.#called.add(name);
    for (const body of bodies) this.#active.add(body);
    const calls = bodies.map(
      (body) => () =>
        this.state.call((local) => {
          local("@");
          this.state.assign("@", [{ values: read.words.slice(1).map((word) => this.listed(word)) }]);
          for (const one of read.assignments) {
            local(one.name);
            this.state.assign(one.name, [one.value]);
            this.state.export(one.name, true);
          }
          this.within({ starter: own, fedBy: NOBODY, local }, () => this.#runBody(body));
        }),
    );
    this.state.branches(calls, false);
    for (const body of bodies) this.#active.delete(body);
  }

  #runBody(body: Callable): void {
    if (typeof body === "string") this.runText(`${body} "$@"`);
    else this.#node(body, NOBODY);
  }

  output(part: Substitution): readonly string[] {
    const known = this.#outputs.get(part);
    if (known !== undefined) return known;
    let texts: string[] | undefined = [""];
    const note = ({ stages: [stage, ...others], before }: Item, done: readonly ReadCommand[]) => {
      const isPlain = others.length === 0 && stage?.kind === "simple";
      const printed = isPlain ? done.map((command) => printedBy(command, (text) => this.listed(text))) : [undefined];
      const ways = before === "" ? printed : ["", ...printed];
      const some = texts?.flatMap((text) => ways.map((way) => (way === undefined ? undefined : text + way)));
      texts =
        some?.every((text) => text !== undefined) === true && some.length <= MOST_TEXTS
          ? [...new Set(some)]
          : undefined;
    };
    const outputs = this.#outputs;
    const isCaptured = this.context.isCaptured || !part.source.startsWith(">");
    this.within({ fedBy: NOBODY, input: [], isCaptured }, () =>
      this.state.apart(() => void this.#script(part.script, note)),
    );
    this.#outputs = outputs;
    const printed = texts?.map((text) => text.replace(/\n+$/u, "").replaceAll("\0", ""));
    const result = part.kind !== "process" && printed ? printed : [this.state.unknowns.of(part.source)];
    if (printed !== undefined && result !== printed) this.reading.printed.set(result[0] ?? "", printed);
    this.#outputs.set(part, result);
    return result;
  }

  runExpansionsIn(text: string): void {
    if (!/\$\(|`/.test(text)) return;
    this.#expand((expander) => expander.textOf(parseText(text)));
  }
}
