import { oneOf } from "../pattern/one-of.ts";
import { Reader } from "../pattern/syntax.ts";
import { type Given, letters, MEMBERS, pathWord, posixCommandOf, variableNamed } from "./cmdlets.ts";

/** Nobody nests deeper. */
const DEEPEST = 40;
const LONGEST = 50_000;

/** What an expression stands for: words of a POSIX shell, and what it runs besides. */
interface Value {
  words: string[];
  runs: string[];
  /** The script in braces. */
  block?: string;
}

/** One command of a pipe, or an expression. */
interface Stage {
  text: string;
  words: string[];
  isCommand: boolean;
}

/**
 * A PowerShell text as a text for a POSIX shell that does the same to files, programs, variables and the network, so that guards
 * see the same steps. A command without an equivalent keeps its name. Undefined: this reader can't take it apart.
 */
export function fromPowerShell(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    return new ScriptReader(text).script("");
  } catch {
    return undefined;
  }
}

const KEYWORD = () =>
  /(?:if|elseif|else|foreach|for|while|do|until|switch|try|catch|finally|function|filter|param|return|throw|exit|begin|process|end)(?![\w-])/iy;
const ASSIGNED = /(?:\[[\w.[\]]+\]\s*)*\$(?:(\w+):)?(\w+)\s*\+?=(?!=)/y;
const NAME = /[\w.:\\/~@?%*+-]+/y;
const BARE = /(?:`[\s\S]|[^\s"'`$(){}|;&,<>])+/y;
const VARIABLE = /\$(?:\{(?:(\w+):)?([^}]+)\}|(?:(\w+):)?(\w+|[_?$^]))/y;
/** `(Get-Command gc)`: a command is what it is called. */
const FOUND_COMMAND = () => /^"\$\('(?:gcm|get-command)'(?: '-\w+')*? ('[^-'][^']*')[^)]*\)"$/iu;
const TO = /([1-6*]?)>(&[1-6]|>?)\s*/y;
const OPERATOR = () =>
  /-(?:[ic]?(?:not)?(?:eq|ne|gt|lt|ge|le|match|like|contains|in)|is(?:not)?|and|or|xor)(?![\w-])/iy;
const JOINING = () =>
  /-(?:[ic]?(?:split|join|replace)|f|as|b(?:and|or|xor)|shl|shr)(?![\w-])|[+*/%]=?|-(?=[\s$\d(])|\.\.|=/iy;

class ScriptReader extends Reader {
  /** Variables that hold more than one text. */
  readonly #lists = new Set<string>();
  /** What stands here is a question: its answer isn't printed. */
  #isAsked = false;
  #depth = 0;

  #need(sign: string): void {
    if (!this.take(sign)) throw new SyntaxError(`no ${sign}`);
  }

  #blanks(andLines = false): void {
    this.takeMatch(andLines ? /(?:[\s;]|`\r?\n|<#[\s\S]*?#>|#[^\n]*)*/y : /(?:[^\S\n]|`\r?\n|<#[\s\S]*?#>|#[^\n]*)*/y);
  }

  /** Statements up to a closing sign, or to the end. */
  script(end: string): string {
    if (++this.#depth > DEEPEST) throw new SyntaxError("too deep");
    const lines: string[] = [];
    for (this.#blanks(true); !(end === "" ? this.at >= this.text.length : this.is(end)); this.#blanks(true)) {
      const from = this.at;
      lines.push(this.#statement());
      if (this.at === from) throw new SyntaxError("stuck");
    }
    this.at += end.length;
    this.#depth--;
    return lines.filter((line) => line !== "").join("\n");
  }

  #block(): string {
    this.#blanks(true);
    this.#need("{");
    return this.#within("}", false) || ":";
  }

  /** What is in parentheses: a condition, or the head of a loop. */
  #parens(): string {
    this.#blanks(true);
    this.#need("(");
    return this.#within(")", true);
  }

  #within(end: string, isAsked: boolean): string {
    const before = this.#isAsked;
    this.#isAsked = isAsked;
    const text = this.script(end);
    this.#isAsked = before;
    return text;
  }

  #statement(): string {
    const keyword = this.takeMatch(KEYWORD())?.[0].toLowerCase();
    if (keyword !== undefined) return this.#structure(keyword);
    const assigned = this.takeMatch(ASSIGNED);
    if (assigned !== undefined) return this.#assignment(assigned[1]?.toLowerCase(), assigned[2] ?? "");
    const parts = [shownBy(this.#pipe(), this.#isAsked)];
    for (this.#blanks(); this.is("&&") || this.is("||"); this.#blanks()) {
      parts.push(this.text.slice(this.at, this.at + 2));
      this.at += 2;
      this.#blanks(true);
      parts.push(shownBy(this.#pipe(), this.#isAsked) || ":");
    }
    this.take("&");
    return parts.length === 1 ? (parts[0] ?? "") : parts.map((part) => part || ":").join(" ");
  }

  #structure(keyword: string): string {
    if (keyword === "if" || keyword === "elseif" || keyword === "while") {
      const [asked, body] = [this.#parens(), this.#block()];
      return `${keyword === "while" ? "while" : "if"} ${asked || ":"}; ${keyword === "while" ? `do\n${body}\ndone` : `then\n${body}\nfi`}`;
    }
    if (keyword === "foreach") {
      this.#blanks(true);
      this.#need("(");
      this.#blanks(true);
      const name = this.takeMatch(VARIABLE)?.[4] ?? "x";
      this.takeMatch(/\s+in\s+/iy);
      const { words, runs } = this.#inner(")");
      return `${runs.map((run) => `${run}\n`).join("")}for ${name} in ${words.join(" ").replace(/^"(\$\([\s\S]*\))"$/u, "$1")}; do\n${this.#block()}\ndone`;
    }
    if (keyword === "for") return `${this.#parens()}\nwhile :; do\n${this.#block()}\ndone`;
    if (keyword === "function" || keyword === "filter") {
      const [, name = "f"] = this.takeMatch(/\s*([\w:-]+)\s*(?:\([^)]*\))?/y) ?? [];
      return `${name}() {\n${this.#block()}\n}`;
    }
    if (keyword === "param") return this.#parens().replace(/[\s\S]*/u, "");
    if (keyword === "until") return this.#parens();
    if (keyword === "switch") return `${this.#parens()}\n${this.#cases()}`;
    if (keyword === "return" || keyword === "throw" || keyword === "exit") {
      this.#blanks();
      return /[\n;})]|^$/u.test(this.text[this.at] ?? "") ? "" : shownBy(this.#pipe(), keyword === "exit");
    }
    // The kinds of errors that `catch` takes.
    this.takeMatch(/\s*(?:\[[\w.]+\]\s*,?\s*)+/y);
    return this.#block();
  }

  #cases(): string {
    this.#blanks(true);
    this.#need("{");
    const bodies: string[] = [];
    for (this.#blanks(true); !this.take("}"); this.#blanks(true)) {
      if (this.is("{")) bodies.push(this.#block());
      else if (this.#primary().words.length === 0 && this.at >= this.text.length) throw new SyntaxError("no }");
    }
    return bodies.map((body) => `if :; then\n${body}\nfi`).join("\n");
  }

  #assignment(scope: string | undefined, name: string): string {
    this.#blanks(true);
    const stages = this.#pipe();
    const [only, ...others] = stages;
    const text = stages.map((one) => one.text).join(" | ");
    if (name === "null") return text === "" ? "" : `${text} > /dev/null`;
    const before = scope === "env" ? "export " : "";
    if (only === undefined || only.isCommand || others.length > 0) return `${before}${name}="$(${text})"`;
    const runs = only.text === "" ? "" : `${only.text}\n`;
    const { words } = only;
    if (words.length > 1) this.#lists.add(name);
    return `${runs}${before}${name}=${words.length === 1 ? words[0] : `(${words.join(" ")})`}`;
  }

  #pipe(): Stage[] {
    const stages: Stage[] = [];
    do {
      this.#blanks(stages.length > 0);
      stages.push(this.#stage(stages));
      this.#blanks();
      if (/\s*\n\s*\|/y.test(this.text.slice(this.at, this.at + 50))) this.#blanks(true);
    } while (!this.is("||") && this.take("|"));
    return stages;
  }

  #stage(before: readonly Stage[]): Stage {
    const isCalled = this.takeMatch(/[&.](?=[\s"'$({])/y) !== undefined;
    if (isCalled) this.#blanks();
    const sign = this.text[this.at] ?? "";
    if (this.takeMatch(/join-path(?=\s)/iy) !== undefined) {
      const { given } = this.#arguments();
      return { text: "", words: [joinedPath(given)], isCommand: false };
    }
    if (!isCalled && (/["'$(@[{!,\d]/u.test(sign) || /^-(?:not\b|\()/iu.test(this.text.slice(this.at, this.at + 5)))) {
      const { words, runs, block } = this.#expression();
      const to = this.#redirections();
      const text = [
        ...runs,
        ...(block === undefined ? [] : [block]),
        ...(to === "" ? [] : [`echo ${words.join(" ")}${to}`]),
      ];
      return { text: text.join("\n"), words: to === "" ? words : [], isCommand: false };
    }
    let called: Value = { words: [], runs: [] };
    if (isCalled && /["'$({]/u.test(sign)) called = this.#postfixed(this.#primary());
    else called.words = [letters(this.takeMatch(NAME)?.[0] ?? "")];
    if (called.block !== undefined) {
      this.#arguments();
      return { text: `{\n${called.block}\n}`, words: [], isCommand: true };
    }
    const written = (called.words[0] ?? "''").replace(FOUND_COMMAND(), "$1");
    const word = /^'\.{1,2}\\/u.test(written) ? written.replaceAll("\\", "/") : written;
    if (word === "''") throw new SyntaxError("no command");
    const { given, to } = this.#arguments();
    const isText = isCalled && word.startsWith('"$(');
    const texts = before.map((one) => one.text);
    const text = isText ? `eval ${word}` : posixCommandOf(word, given, texts, fromPowerShell);
    return { text: [...called.runs, `${text}${to}`].join("\n"), words: [], isCommand: true };
  }

  #redirections(): string {
    let to = "";
    for (this.#blanks(); ; this.#blanks()) {
      const [, from = "", sign] = this.takeMatch(TO) ?? [];
      if (sign === undefined) return to;
      const target = sign.startsWith("&") ? "" : ` ${this.#argument().words[0] ?? "''"}`;
      to += ` ${from.replace("*", "&")}>${sign}${target === " ''" ? " /dev/null" : target}`;
    }
  }

  #arguments(): { given: Given[]; to: string } {
    const given: Given[] = [];
    let to = "";
    for (;;) {
      to += this.#redirections();
      const sign = this.text[this.at] ?? "";
      if (sign === "" || /[\n;|)}]/u.test(sign) || this.is("&")) return { given, to };
      const from = this.at;
      const value = this.#argument();
      const source = this.text.slice(from, this.at);
      if (source === "") throw new SyntaxError("stuck");
      given.push({ source, words: value.words, block: value.block });
    }
  }

  /** One argument, with all elements of a list. */
  #argument(): Value {
    const value = this.#pieces();
    for (;;) {
      const from = this.at;
      this.#blanks();
      if (!this.take(",")) {
        this.at = from;
        return value;
      }
      this.#blanks(true);
      const next = this.#pieces();
      value.words.push(...next.words);
      value.runs.push(...next.runs);
    }
  }

  /** What stands together without blanks: `$env:TEMP\x`. */
  #pieces(): Value {
    if (/["'(@{]/u.test(this.text[this.at] ?? "") || this.is("$(")) {
      const value = this.#postfixed(this.#primary());
      if (/[\s|;,)}]|^$/u.test(this.text[this.at] ?? "")) return value;
      return { ...value, words: [value.words.join("") + this.#pieces().words.join("")] };
    }
    let word = "";
    for (;;) {
      const variable = this.is("$") ? this.#variable() : undefined;
      if (variable !== undefined) word += variable;
      else if (/["']/u.test(this.text[this.at] ?? "") || this.is("$(")) word += this.#primary().words.join("");
      else if (this.take("$") || this.take("<")) word += "'$'";
      else {
        const bare = this.takeMatch(BARE)?.[0];
        if (bare === undefined) return { words: word === "" ? [] : [word], runs: [] };
        // A member of an object.
        if (!(variable === undefined && /^\.\w+$/u.test(bare) && word.endsWith('"')))
          word += bareWord(bare.replace(/`(.)/gsu, "$1"));
        if (this.is("(") && /\.\w+$/u.test(bare)) this.#parens();
        else if (this.is("{") || this.is("(")) return { words: [word], runs: [] };
      }
    }
  }

  #variable(): string | undefined {
    const found = this.takeMatch(VARIABLE);
    if (found === undefined) return undefined;
    const [, braced, inner, scope = braced, plain = inner ?? ""] = found;
    const name = plain.toLowerCase();
    if (scope?.toLowerCase() === "env" || name === "home") return variableNamed(plain);
    if (name === "pwd" || name === "psscriptroot") return '"$PWD"';
    if (oneOf("null true false")(name)) return "''";
    if (this.#lists.has(plain)) return `"\${${plain}[@]}"`;
    return name === "_" || name === "psitem" ? '"$it"' : /^\w+$/u.test(plain) ? `"$${plain}"` : "''";
  }

  #expression(): Value {
    const value: Value = { words: [], runs: [] };
    const add = ({ words, runs, block }: Value) => {
      value.words.push(...words);
      value.runs.push(...runs);
      if (block !== undefined) value.block = block;
    };
    let isAnswer = this.takeMatch(/(?:!|-not\b)\s*/iy) !== undefined;
    add(this.#postfixed(this.#primary()));
    for (;;) {
      const from = this.at;
      this.#blanks();
      const isAsked = this.takeMatch(OPERATOR()) !== undefined;
      if (!isAsked && this.takeMatch(JOINING()) === undefined && !this.take(",")) {
        this.at = from;
        return isAnswer ? { ...value, words: [] } : value;
      }
      isAnswer ||= isAsked;
      this.#blanks(true);
      this.takeMatch(/(?:!|-not\b)\s*/iy);
      add(this.#postfixed(this.#primary()));
    }
  }

  #primary(): Value {
    const none = { words: [], runs: [] };
    const here = this.takeMatch(/@(['"])[^\S\n]*\n([\s\S]*?)\n\1@/y);
    if (here !== undefined)
      return { ...none, words: [here[1] === "'" ? letters(here[2] ?? "") : this.#filled(here[2] ?? "")] };
    const single = this.takeMatch(/'((?:[^']|'')*)'/y);
    if (single !== undefined) return { ...none, words: [textWord((single[1] ?? "").replaceAll("''", "'"))] };
    if (this.take('"')) return { ...none, words: [this.#double()] };
    if (this.take("@{") || this.take("{")) {
      const isTable = this.text[this.at - 2] === "@";
      return isTable ? this.#table() : { ...none, block: this.#within("}", false) };
    }
    if (this.take("$(") || this.take("@(") || this.take("(")) return this.#inner(")");
    const type = this.takeMatch(/\[([\w.]+)(?:\[[\w, .]*\])?\]/y);
    if (type !== undefined) return this.#typed(type[1] ?? "");
    const variable = this.#variable();
    if (variable !== undefined) return { ...none, words: [variable] };
    const bare = this.takeMatch(/[^\s"'$(){}|;&,\]]+/y)?.[0];
    return bare === undefined ? none : { ...none, words: [bareWord(bare)] };
  }

  /** What is in parentheses: an expression as it is, commands as what they print. */
  #inner(end: string): Value {
    this.#blanks(true);
    const from = this.at;
    const stages = this.is(end) ? [] : this.#pipe();
    this.#blanks(true);
    const [only] = stages;
    if (this.take(end) && (only === undefined || (stages.length === 1 && !only.isCommand)))
      return { words: only?.words ?? [], runs: only === undefined || only.text === "" ? [] : [only.text] };
    this.at = from;
    return { words: [`"$(${this.#within(end, false)})"`], runs: [] };
  }

  /** `@{ name = value; … }`, as texts of a header. */
  #table(): Value {
    const all: Value = { words: [], runs: [] };
    for (this.#blanks(true); !this.take("}"); this.#blanks(true)) {
      const [, name = ""] = this.takeMatch(/["']?([\w-]+)["']?\s*=\s*/y) ?? [];
      const stages = this.#pipe();
      const words = stages.flatMap((one) => one.words);
      if (name === "" && words.length === 0) throw new SyntaxError("no table");
      all.words.push(`${letters(`${name}: `)}${words.join(" ")}`);
      all.runs.push(...stages.flatMap(({ text }) => (text === "" ? [] : [text])));
    }
    return all;
  }

  #typed(type: string): Value {
    if (!this.take("::")) {
      const { words, ...value } = this.#postfixed(this.#primary());
      return { ...value, words: /^(?:bool|int|switch|void)/iu.test(type) ? [] : words };
    }
    const [, member = ""] = this.takeMatch(/(\w+)/y) ?? [];
    return this.#postfixed(this.is("(") ? this.#member(member, { words: [], runs: [] }) : { words: [], runs: [] });
  }

  /** Members and elements: `.Name`, `.Trim()`, `[0]`. */
  #postfixed(value: Value): Value {
    let from = value;
    for (;;) {
      const member = this.takeMatch(/\??(?:\.|::)(\w+)/y)?.[1];
      if (member !== undefined) from = this.#member(member, from);
      else if (this.text[this.at] === "[" && from.words.length > 0) {
        this.at++;
        this.#inner("]");
      } else return from;
    }
  }

  #member(name: string, of: Value): Value {
    const given = this.is("(") ? this.#list() : { words: [], runs: [] };
    const runs = [...of.runs, ...given.runs];
    const does = Object.hasOwn(MEMBERS(), name.toLowerCase()) ? MEMBERS()[name.toLowerCase()] : undefined;
    if (does === undefined) return { words: of.words.length > 0 ? of.words : given.words, runs };
    const { word, run } = does(given.words, of.words);
    return { words: word === undefined ? [] : [word], runs: [...runs, ...(run === undefined ? [] : [run])] };
  }

  #list(): Value {
    const all: Value = { words: [], runs: [] };
    this.#need("(");
    for (this.#blanks(true); !this.take(")"); this.#blanks(true)) {
      if (this.at >= this.text.length) throw new SyntaxError("no )");
      const { words, runs } = this.#expression();
      all.words.push(...words);
      all.runs.push(...runs);
      this.#blanks(true);
      if (!this.take(",") && !this.is(")")) throw new SyntaxError("no ,");
    }
    return all;
  }

  /** The rest of a text in double quotes. */
  #double(): string {
    const [, text = ""] = this.takeMatch(/((?:[^"`]|`[\s\S]|"")*)"/y) ?? [];
    if (this.text[this.at - 1] !== '"') throw new SyntaxError('no "');
    return this.#filled(text.replaceAll('""', '"'));
  }

  /** A text with its variables and commands. */
  #filled(text: string): string {
    const inner = new ScriptReader(text);
    let word = "";
    while (inner.at < text.length) {
      const variable = inner.is("$(") ? undefined : inner.#variable();
      if (variable !== undefined) word += variable;
      else if (inner.take("$(")) word += inner.#inner(")").words.join("");
      else
        word += (word === "" ? textWord : letters)(
          (inner.takeMatch(/(?:`[\s\S]|[^$`])+|\$/y)?.[0] ?? "").replace(/`(.)/gsu, "$1"),
        );
    }
    return word === "" ? "''" : word;
  }
}

/** The place that `Join-Path $HOME '.ssh'` names. */
function joinedPath(given: readonly Given[]): string {
  return given.flatMap(({ source, words }) => (source.startsWith("-") ? [] : words.map(pathWord))).join("/");
}

/** A text in quotes. A tilde at its beginning is the home for every cmdlet. */
function textWord(text: string): string {
  return /^~(?:[\\/]|$)/u.test(text) ? `~${text.length > 1 ? letters(text.slice(1)) : ""}` : letters(text);
}

/** A word without quotes, in which stars are patterns and a tilde is the home. */
function bareWord(text: string): string {
  return text
    .split(/(^~(?=[\\/]|$)|[*?])/u)
    .map((part) => (part === "" || /^[~*?]$/u.test(part) ? part : letters(part)))
    .join("");
}

/** A pipe as a text: an expression prints what it stands for. */
function shownBy(stages: readonly Stage[], isAsked: boolean): string {
  const texts = stages.map(({ text, words, isCommand }) => {
    if (isCommand) return text;
    const print = words.length > 1 && stages.length > 1 ? "printf '%s\\n'" : "echo";
    const printed = words.length === 0 || (isAsked && stages.length === 1) ? "" : `${print} ${words.join(" ")}`;
    return [text, printed].filter((one) => one !== "").join("\n");
  });
  if (texts.length === 1) return texts[0] ?? "";
  return texts
    .map((text) => (text === "" ? ":" : /^(?!while |if |for |\{)[^\n]*\n/u.test(text) ? `{\n${text}\n}` : text))
    .join(" | ");
}
