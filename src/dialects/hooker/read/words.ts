import type { HookerAction } from "../data/policies.ts";
import type { DeclaredPolicy } from "./declared.ts";
import { type Evaluator, is, type RubyNames, toText, type Value } from "./evaluate.ts";
import type { RubyNode } from "./parse.ts";

/** The words inside a policy, and the names of their arguments. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  on: ["tool", "match", "match_field", "file"],
  gate: [],
  transform: ["context", "prompt", "field", "model", "command"],
  inject: ["command"],
  when_prompt: ["model"],
};

/** Applies one word to the policy, in the way in which hooker builds its data. */
export function applyWord(word: string, policy: DeclaredPolicy, given: CallArguments, evaluator: Evaluator): void {
  const reader = new Arguments(given, evaluator);
  if (word === "on") readOn(policy, reader);
  else if (word === "when_prompt") policy.when = { condition: reader.only("a condition"), model: reader.text("model") };
  else policy.action = readAction(word, reader);
}

function readOn(policy: DeclaredPolicy, given: Arguments): void {
  policy.event = given.only("an event");
  policy.tool = readTool(given);
  policy.match = null;
  policy.matchField = null;
  const file = given.value("file");
  if (file !== undefined) {
    policy.match = file.kind === "string" ? { file: file.text } : given.pattern(file);
    policy.matchField = "file_path";
    return;
  }
  const match = given.value("match");
  if (match === undefined) return;
  policy.match = readMatch(match, given);
  policy.matchField = given.text("match_field");
}

function readMatch(match: Value, given: Arguments): DeclaredPolicy["match"] {
  if (match.kind === "symbol") return { constant: match.text };
  // hooker takes a text that begins with a colon for a constant's name.
  if (match.kind === "string" && match.text.startsWith(":")) return { constant: match.text.slice(1) };
  return given.pattern(match);
}

function readTool(given: Arguments): DeclaredPolicy["tool"] {
  const tool = given.value("tool");
  if (tool === undefined) return null;
  if (tool.kind === "regexp") {
    const off = [..."mix"].filter((flag) => !tool.flags.includes(flag)).join("");
    // As Ruby inserts one regular expression into another.
    const source = tool.source.replace(/\\[\s\S]|\//gu, (found) => (found === "/" ? "\\/" : found));
    const inner = `(?${tool.flags}${off === "" ? "" : `-${off}`}:${source})`;
    return { ruby: `\\A(?:${inner})\\z`, text: tool.source, flags: tool.flags };
  }
  const text = toText(tool);
  if (text === undefined) return given.refuse("`tool:` is a text or a regular expression");
  return { ruby: `\\A(?:${text})\\z`, text, flags: "" };
}

function readAction(word: string, given: Arguments): HookerAction {
  if (word === "gate") return { kind: "gate", message: given.optional() };
  if (word === "inject") return { kind: "inject", files: given.rest(), command: given.text("command") };
  given.none();
  return {
    kind: "transform",
    context: given.list("context"),
    prompt: given.text("prompt"),
    field: given.text("field"),
    model: given.text("model"),
    command: given.text("command"),
  };
}

class Arguments {
  readonly #given: CallArguments;
  readonly #evaluator: Evaluator;

  constructor(given: CallArguments, evaluator: Evaluator) {
    this.#given = given;
    this.#evaluator = evaluator;
  }

  refuse(what: string): never {
    return this.#evaluator.refuse(this.#given.node, what);
  }

  /** Undefined when it is absent or nil. */
  value(name: string): Value | undefined {
    const value = this.#given.named.get(name);
    return value?.kind === "nil" || value === undefined ? undefined : value;
  }

  text(name: string): string | null {
    const value = this.value(name);
    if (value === undefined) return null;
    return toText(value) ?? this.refuse(`\`${name}:\` is a text`);
  }

  list(name: string): string[] {
    const value = this.value(name);
    return value === undefined ? [] : this.#flat([value]);
  }

  pattern(value: Value): { ruby: string; lostFlags: string } {
    if (value.kind === "regexp") return { ruby: value.source, lostFlags: value.flags };
    if (value.kind === "string") return { ruby: value.text, lostFlags: "" };
    return this.refuse("a pattern is a text or a regular expression");
  }

  none(): void {
    if (this.#given.positional.length > 0) this.#arity("0");
  }

  only(what: string): string {
    const [first, second] = this.#given.positional;
    if (first === undefined || second !== undefined) return this.#arity("1");
    return toText(first) ?? this.refuse(`${what} is a text or a symbol`);
  }

  optional(): string | null {
    const [first, second] = this.#given.positional;
    if (second !== undefined) return this.#arity("0..1");
    if (first === undefined || first.kind === "nil") return null;
    return toText(first) ?? this.refuse("a message is a text");
  }

  rest(): string[] {
    return this.#flat(this.#given.positional);
  }

  #flat(values: readonly Value[]): string[] {
    return values.flatMap((value) => {
      if (value.kind === "list") return this.#flat(value.items);
      return toText(value) ?? this.refuse("a file is named by a text");
    });
  }

  #arity(expected: string): never {
    return this.refuse(`wrong number of arguments (given ${this.#given.positional.length}, expected ${expected})`);
  }
}

/** The arguments of one call of the language's words. */
interface CallArguments {
  node: RubyNode;
  positional: Value[];
  named: Map<string, Value>;
}

/** Evaluates the arguments of a call. A name that the word doesn't know fails the file, as in Ruby. */
export function readCallArguments(node: RubyNode, names: RubyNames, { evaluator, allowed }: Reading): CallArguments {
  const given: CallArguments = { node, positional: [], named: new Map() };
  const list = is(node, "CallNode") ? (node.arguments_?.arguments_ ?? []) : [];
  for (const argument of list) {
    if (!is(argument, "KeywordHashNode")) {
      given.positional.push(evaluator.valueOf(argument, names));
      continue;
    }
    for (const pair of argument.elements) {
      if (!is(pair, "AssocNode")) throw evaluator.refusal(pair);
      addPair(given, pair, { evaluator, allowed, names });
    }
  }
  return given;
}

interface Reading {
  evaluator: Evaluator;
  allowed: readonly string[];
}

function addPair(
  given: CallArguments,
  pair: { key: RubyNode; value: RubyNode },
  { evaluator, allowed, names }: Reading & { names: RubyNames },
) {
  const key = evaluator.valueOf(pair.key, names);
  if (key.kind !== "symbol") throw evaluator.refusal(pair.key, "only symbols name arguments");
  if (!allowed.includes(key.text)) throw evaluator.refusal(pair.key, `unknown keyword: :${key.text}`);
  if (given.named.has(key.text)) throw evaluator.refusal(pair.key, `\`${key.text}:\` is there twice`);
  given.named.set(key.text, evaluator.valueOf(pair.value, names));
}
