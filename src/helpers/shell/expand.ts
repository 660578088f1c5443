import { calculated } from "./arithmetic.ts";
import { unescaped } from "./parse/ansi-quoted.ts";
import { hasUnknown, inQuotes, isUnknown, unquoted } from "./parse/marks.ts";
import type { Parameter, Part, Word } from "./parse/syntax.ts";
import { recased, replaced, sliced, trimmed } from "./patterns.ts";
import type { Round } from "./round.ts";
import { type Held, isList, type List, type Shell } from "./state.ts";

/** Expands words, for one round of a command. */
export class Expander {
  readonly #shell: Shell;
  readonly #round: Round;

  constructor(shell: Shell, round: Round) {
    this.#shell = shell;
    this.#round = round;
  }

  /** The words that a program gets for one word. */
  fields(word: Word): string[] {
    const builder = new FieldBuilder(this.#separators());
    this.#addWord(builder, word, true);
    return builder.finish();
  }

  /** The one text of a word that isn't split: the value of an assignment, a file. */
  text(word: Word): string {
    return this.#joined(word.parts, true);
  }

  /** The lines of a here-document, a prompt, arithmetic. */
  textOf(parts: readonly Part[]): string {
    return this.#joined(parts, false);
  }

  /** The value of an assignment: a text, or a list. */
  value({ parts, list }: Word): Held {
    if (list === undefined) return unquoted(this.text({ source: "", parts }));
    const values: string[] = [];
    const keys: string[] = [];
    for (const word of list) {
      const [first] = word.parts;
      const [written, key] = typeof first === "string" ? (/^\[([^\]]*)\]=/.exec(first) ?? []) : [];
      if (written === undefined || key === undefined || typeof first !== "string")
        values.push(...this.fields(word).map(unquoted));
      else {
        keys[values.length] = key;
        values.push(unquoted(this.text({ ...word, parts: [first.slice(written.length), ...word.parts.slice(1)] })));
      }
    }
    return keys.length === 0 ? { values } : { values, keys: values.map((_, at) => keys[at] ?? String(at)) };
  }

  #joined(parts: readonly Part[], hasTilde: boolean): string {
    const builder = new FieldBuilder("");
    this.#addWord(builder, { source: "", parts }, hasTilde);
    return builder.finish().join(" ");
  }

  #addWord(builder: FieldBuilder, { parts }: Word, hasTilde: boolean): void {
    for (const [at, part] of parts.entries()) {
      if (
        at === 0 &&
        hasTilde &&
        typeof part === "string" &&
        /^~(?:\/|$)/.test(part) &&
        (part !== "~" || parts.length === 1 || typeof parts[1] !== "string")
      ) {
        builder.add(inQuotes(this.#home()));
        builder.add(part.slice(1));
      } else this.#addPart(builder, part, false);
    }
  }

  /** What `~` is: what the text itself makes of HOME, or nobody knows. */
  #home(): string {
    const home = this.lookup("HOME");
    return typeof home === "string" ? home : this.#shell.state.unknowns.of("~");
  }

  #separators(): string {
    const value = this.lookup("IFS");
    return typeof value === "string" && !hasUnknown(value) ? value : " \t\n";
  }

  /** `splitsText`: the text itself is a result, as in `${x:-a b}`. */
  #addPart(builder: FieldBuilder, part: Part, isQuoted: boolean, splitsText = false): void {
    if (typeof part === "string") {
      if (splitsText && !isQuoted) builder.split(part);
      else builder.add(isQuoted ? inQuotes(part) : part);
    } else if (part.kind === "quoted") {
      if (!part.parts.some(isListPart)) builder.add("");
      for (const inner of part.parts) this.#addPart(builder, inner, true);
    } else if (part.kind === "parameter") this.#addParameter(builder, part, isQuoted);
    else if ("script" in part) {
      const output = this.#round.pick(part, this.#shell.output(part));
      if (isQuoted) builder.add(inQuotes(output));
      else builder.split(output);
    } else {
      const text = this.textOf(part.parts);
      const result = part.kind === "pattern" ? part.source : calculated(text, this, this.#shell);
      builder.add(result ?? this.#shell.state.unknowns.of(part.source));
    }
  }

  /** What a variable holds in this round. */
  lookup(name: string): Held {
    const { state } = this.#shell;
    if (/^\d/.test(name) && name !== "0") {
      const given = this.lookup("@");
      return isList(given) ? (given.values[Number(name) - 1] ?? null) : undefined;
    }
    const own = name === "*" ? "@" : state.named(name);
    return this.#round.set.has(own) ? this.#round.set.get(own) : this.#round.pick(own, state.valuesOf(own));
  }

  assign(name: string, value: Held): void {
    this.#round.set.set(this.#shell.state.named(name), value);
  }

  #addParameter(builder: FieldBuilder, part: Parameter, isQuoted: boolean): void {
    const value = this.#base(part);
    if (/^:?[-=?+]$/.test(part.operator)) {
      const own = this.#defaulted(part, value);
      if (own !== undefined) this.#addValue(builder, own, part, isQuoted);
      else if (part.operator.endsWith("=")) this.#addValue(builder, this.#assignDefault(part), part, isQuoted);
      else for (const one of part.argument) this.#addPart(builder, one, isQuoted, true);
    } else this.#addValue(builder, this.#changed(part, value), part, isQuoted);
  }

  /** As it is written, with the name behind a reference. */
  #sourceOf({ name, operator, subscript, source }: Parameter): string {
    const own = this.#shell.state.named(name);
    return own === name || operator !== "" || subscript !== undefined ? source : `$${own}`;
  }

  /** A substitution in the same command finds what `${x:=text}` sets before it. */
  #assignDefault({ name, argument }: Parameter): string {
    const text = unquoted(this.textOf(argument));
    const { state } = this.#shell;
    this.assign(name, text);
    state.assign(name, [...state.valuesOf(name), text]);
    return text;
  }

  #addValue(builder: FieldBuilder, value: Held, part: Parameter, isQuoted: boolean): void {
    if (value === undefined) builder.add(this.#shell.state.unknowns.of(this.#sourceOf(part)));
    else if (value === null) return;
    else if (typeof value === "object") {
      const isJoined = isQuoted && (part.name === "*" || part.subscript?.[0] === "*");
      const texts = isJoined ? [value.values.join(this.#separators().slice(0, 1))] : value.values;
      builder.list(texts, isQuoted);
    } else if (isQuoted && part.prefix !== "=") builder.add(inQuotes(value));
    else builder.split(value);
  }

  /** The value before an operator changes it. */
  #base(part: Parameter): Held {
    const { name, subscript, prefix } = part;
    if (name === "") return null;
    if (prefix === "!") return this.#indirect(part);
    if (name === "#" || (prefix === "#" && /^[@*]$/.test(name))) {
      const given = this.lookup("@");
      return isList(given) ? String(given.values.length) : undefined;
    }
    if (/^[?$!-]$/.test(name)) return undefined;
    const value = this.lookup(name);
    if (subscript !== undefined) return this.#element(part, value, subscript);
    if (!isList(value) || /^[@*]$/.test(name)) return value;
    // bash gives the first element, zsh all of them.
    const first = value.keys === undefined ? (value.values[0] ?? null) : null;
    return value.values.length < 2 || prefix === "#" ? first : this.#round.pick(part, [first, value]);
  }

  #element(part: Parameter, value: Held, subscript: readonly Part[]): Held {
    const index = unquoted(this.textOf(subscript));
    if (index === "@" || index === "*")
      return value === undefined || isList(value) ? value : { values: value === null ? [] : [value] };
    this.#shell.runExpansionsIn(index);
    const held = /^[A-Za-z_]\w*$/.test(index) ? this.lookup(index) : undefined;
    if (typeof held === "string") this.#shell.runExpansionsIn(held);
    if (value === undefined || value === null) return value;
    const { values, keys }: List = typeof value === "string" ? { values: [value] } : value;
    if (keys?.includes(index) === true) return values[keys.indexOf(index)];
    const number = typeof held === "string" ? held : index;
    if (keys === undefined && /^-?\d{1,6}$/.test(number)) return values.at(Number(number)) ?? null;
    if (/^\d+$/.test(number) && keys?.every((key) => /^\d+$/.test(key)) === true) return null;
    return values.length === 0 ? null : this.#round.pick(part, values);
  }

  /** `${!name}` is the variable whose name is the value of `name`; `${!list[@]}` are its indexes. */
  #indirect({ name, subscript, argument }: Parameter): Held {
    const value = this.lookup(name);
    if (subscript !== undefined) {
      if (value === undefined) return undefined;
      if (typeof value === "string" || value === null) return { values: value === null ? [] : ["0"] };
      return { values: value.keys ?? value.values.map((_, at) => String(at)) };
    }
    if (argument.length > 0 && typeof argument[0] === "string" && /^[*@]/.test(argument[0])) return undefined;
    if (typeof value !== "string" || !/^(?:[A-Za-z_]\w*|\d+)$/.test(value)) return undefined;
    const other = this.lookup(value);
    if (other === undefined) return this.#shell.state.unknowns.of(`$${value}`);
    return isList(other) ? (other.values[0] ?? null) : other;
  }

  /** The value of `${x:-other}` and its like; undefined: it is the other text. */
  #defaulted(part: Parameter, value: Held): Held {
    const sign = part.operator.slice(-1);
    const isEmptyOther = part.operator.startsWith(":");
    const text = isList(value) ? value.values.join(" ") : value;
    const given =
      text === null || (isEmptyOther && text === "")
        ? [false]
        : text === undefined || (isEmptyOther && isUnknown(text))
          ? [true, false]
          : [true];
    if (sign === "?") return value === undefined ? this.#shell.state.unknowns.of(`$${part.name}`) : value;
    const isGiven = this.#round.pick(part, given);
    if (sign === "+") return isGiven ? undefined : "";
    if (!isGiven) return undefined;
    const name = isEmptyOther ? `\${${part.name}:-}` : `$${part.name}`;
    return value === undefined ? this.#shell.state.unknowns.of(name) : value;
  }

  /** The value after an operator has changed it; undefined: only running it shows this. */
  #changed(part: Parameter, value: Held): Held {
    const { operator, prefix, name } = part;
    if (prefix === "#" && name !== "#" && !/^[@*]$/.test(name)) {
      if (isList(value) && part.subscript !== undefined) return String(value.values.length);
      return typeof value === "string" && !hasUnknown(value)
        ? String([...value].length)
        : value === null
          ? "0"
          : undefined;
    }
    if (operator === "") return part.argument.length > 0 && prefix !== "!" ? undefined : value;
    const argument = this.textOf(part.argument);
    // Neither takes anything from most values.
    const isWhole = operator === ":" ? /^\s*0+\s*(?::\s*(?:[89]|\d\d|[^\d\s]).*)?$/su : /^\/$/u;
    if (value === undefined)
      return /^(?:%%?|:)$/.test(operator) && isWhole.test(argument)
        ? this.#shell.state.unknowns.of(`$${name}`)
        : undefined;
    if (value === null) return null;
    if (operator === ":" && typeof value === "object") return this.#slicedList(part, value, argument);
    const change = (text: string) => this.#changedText(part, text, argument);
    if (typeof value === "object") return { ...value, values: value.values.map(change) };
    return change(value);
  }

  #slicedList({ name }: Parameter, list: List, range: string): Held {
    // What is left out between the elements counts.
    if (list.keys !== undefined) return undefined;
    // The first of the arguments is `$0`.
    const values = sliced(name === "@" || name === "*" ? ["", ...list.values] : list.values, range);
    return values === undefined || (/^\s*-?0/.test(range) && /^[@*]$/.test(name)) ? undefined : { values };
  }

  #changedText({ operator, argument, name }: Parameter, text: string, plain: string): string {
    const unknown = () =>
      this.#shell.state.unknowns.of(`$(echo \${${name}${operator}${this.#shell.state.unknowns.written(plain)}})`);
    if (/^[%#]/.test(operator)) return trimmed(text, operator, plain) ?? unknown();
    if (operator.startsWith("/")) {
      const [pattern, by] = this.#halves(argument);
      return replaced(text, operator, pattern, by) ?? unknown();
    }
    if (/^[\^,]/.test(operator)) return recased(text, operator, plain) ?? unknown();
    if (operator === ":") return hasUnknown(text) ? unknown() : (sliced([...text], plain)?.join("") ?? unknown());
    if (plain === "P") this.#shell.runExpansionsIn(text);
    if (hasUnknown(text)) return unknown();
    if (plain === "Q") return `'${text.replaceAll("'", "'\\''")}'`;
    if (plain === "E") return unescaped(text);
    const cased = { U: "^^", u: "^", L: ",," }[plain];
    return (cased === undefined ? undefined : recased(text, cased, "")) ?? unknown();
  }

  /** The pattern and the text of `${x/pattern/text}`. */
  #halves(argument: readonly Part[]): [string, string] {
    const at = argument.findIndex(
      (part, place) => typeof part === "string" && part.includes("/", place === 0 && part.startsWith("/") ? 1 : 0),
    );
    const part = argument[at];
    if (typeof part !== "string") return [this.textOf(argument), ""];
    const cut = part.indexOf("/", at === 0 && part.startsWith("/") ? 1 : 0);
    const by = this.textOf([part.slice(cut + 1), ...argument.slice(at + 1)]);
    return [this.textOf([...argument.slice(0, at), part.slice(0, cut)]), unquoted(by)];
  }
}

function isListPart(part: Part): boolean {
  return (
    typeof part !== "string" &&
    part.kind === "parameter" &&
    (part.name === "@" || part.subscript?.[0] === "@") &&
    part.prefix !== "#"
  );
}

/** Makes the words of one word, as what it expands to splits. */
class FieldBuilder {
  readonly #separators: string;
  readonly #fields: string[] = [];
  #current: string | null = null;

  /** Without separators nothing splits. */
  constructor(separators: string) {
    this.#separators = separators;
  }

  /** Text that stays in one piece. */
  add(text: string): void {
    this.#current = (this.#current ?? "") + text;
  }

  /** Text whose separators separate words. */
  split(text: string): void {
    if (this.#separators === "" ? text !== "" : !/\s/.test(text) && this.#separators === " \t\n" && text !== "") {
      this.add(text);
      return;
    }
    let piece = "";
    for (let at = 0; at < text.length; ) {
      const separator = separatorAt(text, at, this.#separators);
      if (separator === "") piece += text[at++];
      else {
        if (piece !== "") this.add(piece);
        piece = "";
        // Blanks alone separate no empty words.
        if (separator.trim() !== "" || /[^ \t\n]/.test(separator)) this.#current ??= "";
        this.#close();
        at += separator.length;
      }
    }
    if (piece !== "") this.add(piece);
  }

  /** Texts that each become a word, as in `"$@"`. */
  list(texts: readonly string[], isQuoted: boolean): void {
    for (const [place, text] of texts.entries()) {
      if (place > 0) this.#close();
      if (isQuoted) this.add(inQuotes(text));
      else this.split(text);
    }
  }

  finish(): string[] {
    this.#close();
    return this.#fields;
  }

  #close(): void {
    if (this.#current !== null) this.#fields.push(this.#current);
    this.#current = null;
  }
}

/** What separates two words here: blanks, with one sign among them. */
export function separatorAt(text: string, at: number, separators: string): string {
  let end = at;
  let hasSign = false;
  for (; end < text.length && separators.includes(text[end] ?? ""); end++) {
    const isSign = /[^ \t\n]/.test(text[end] ?? "");
    if (isSign && hasSign) break;
    hasSign ||= isSign;
  }
  return text.slice(at, end);
}
