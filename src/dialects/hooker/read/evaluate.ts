import * as nodes from "@ruby/prism/src/nodes.js";
import { HookerRefusal, type ParsedRuby, type RubyNode } from "./parse.ts";
import { compilePattern, isUntranslatable } from "./pattern.ts";

/** Names that stand for values: constants and locals. */
export type RubyNames = Map<string, Value>;

const MOST_STEPS = 200_000;
const MOST_TEXT = 16 * 1024 * 1024;

/** Evaluates expressions that have the same value wherever they run. Refuses everything else, with its line. */
export class Evaluator {
  readonly #lineOf: ParsedRuby["lineOf"];
  #steps = 0;
  #length = 0;

  constructor(lineOf: ParsedRuby["lineOf"]) {
    this.#lineOf = lineOf;
  }

  refusal(node: RubyNode, what = `${kindOf(node)} is not part of the policy language`): HookerRefusal {
    return new HookerRefusal(this.#lineOf(node), what);
  }

  refuse(node: RubyNode, what?: string): never {
    throw this.refusal(node, what);
  }

  /** Repetition can make much out of little. */
  count(node: RubyNode): void {
    this.#steps++;
    if (this.#steps > MOST_STEPS) this.refuse(node, `the file takes more than ${MOST_STEPS} steps`);
  }

  valueOf(node: RubyNode, names: RubyNames): Value {
    this.count(node);
    if (is(node, "NilNode")) return NIL;
    if (is(node, "TrueNode") || is(node, "FalseNode")) return { kind: "boolean", value: is(node, "TrueNode") };
    if (is(node, "LocalVariableReadNode") || is(node, "ConstantReadNode")) {
      return names.get(node.name) ?? this.refuse(node, `\`${node.name}\` has no value that is known here`);
    }
    return this.#literal(node, names) ?? this.#call(node, names) ?? this.refuse(node);
  }

  #literal(node: RubyNode, names: RubyNames): Value | undefined {
    if (is(node, "StringNode")) return this.#string(node);
    if (is(node, "SymbolNode")) return { kind: "symbol", text: this.#unescaped(node, node.unescaped) };
    if (is(node, "RegularExpressionNode")) return this.#regexp(node);
    if (is(node, "ArrayNode"))
      return { kind: "list", items: node.elements.map((element) => this.valueOf(element, names)) };
    if (is(node, "InterpolatedStringNode")) {
      return this.#sized(node, node.parts.map((part) => this.#part(part, names)).join(""));
    }
    if (is(node, "ParenthesesNode")) {
      const { body } = node;
      if (body === null || !is(body, "StatementsNode") || body.body.length !== 1) return undefined;
      const [only] = body.body;
      return only === undefined ? undefined : this.valueOf(only, names);
    }
    return undefined;
  }

  #string(node: NodeOf<"StringNode">): Value {
    return text(this.#unescaped(node, node.unescaped));
  }

  #unescaped(
    node: RubyNode,
    { value, validEncoding, encoding }: { value: string; validEncoding: boolean; encoding: string },
  ): string {
    if (!validEncoding || !["UTF-8", "US-ASCII", "utf-8", "us-ascii"].includes(encoding) || value.includes("\ufffd")) {
      this.refuse(node, "a text that is not UTF-8 is not part of the policy language");
    }
    return value;
  }

  #part(part: RubyNode, names: RubyNames): string {
    if (is(part, "StringNode")) return this.#unescaped(part, part.unescaped);
    if (is(part, "InterpolatedStringNode")) return part.parts.map((inner) => this.#part(inner, names)).join("");
    if (!is(part, "EmbeddedStatementsNode")) return this.refuse(part);
    const [only, second] = part.statements?.body ?? [];
    if (only === undefined || second !== undefined) return this.refuse(part);
    return toText(this.valueOf(only, names)) ?? this.refuse(part, "only texts and symbols are put into a text");
  }

  #regexp(node: NodeOf<"RegularExpressionNode">): Value {
    if (node.isEucJp() || node.isWindows31j() || node.isAscii8bit() || node.isUtf8()) {
      this.refuse(node, "a regular expression with an encoding of its own is not part of the policy language");
    }
    const source = this.#regexpSource(node);
    const flags = `${node.isMultiLine() ? "m" : ""}${node.isIgnoreCase() ? "i" : ""}${node.isExtended() ? "x" : ""}`;
    return { kind: "regexp", source, flags };
  }

  /** Ruby compiles a literal while it reads the file, and a bad one fails the whole file. */
  #regexpSource(node: NodeOf<"RegularExpressionNode">): string {
    // The parser takes some flags for an encoding.
    const { value } = node.unescaped;
    const isAscii = /^[\0-\x7f]*$/u.test(value);
    const source = isAscii ? value : this.#unescaped(node, node.unescaped);
    const compiled = compilePattern(source);
    if ("error" in compiled && !isUntranslatable(compiled.error)) this.refuse(node, compiled.error);
    return source;
  }

  #call(node: RubyNode, names: RubyNames): Value | undefined {
    if (!is(node, "CallNode") || node.receiver === null || node.isSafeNavigation() || node.block !== null)
      return undefined;
    const given = node.arguments_?.arguments_ ?? [];
    if (!["freeze", "+", "join", "to_s", "to_sym"].includes(node.name)) {
      return this.refuse(node, `the method \`${node.name}\` is not part of the policy language`);
    }
    const receiver = this.valueOf(node.receiver, names);
    const values = given.map((argument) => this.valueOf(argument, names));
    return (
      this.#apply(node.name, receiver, values, node) ?? this.refuse(node, `\`${node.name}\` is not understood here`)
    );
  }

  #apply(method: string, self: Value, given: readonly Value[], node: RubyNode): Value | undefined {
    const [first, second] = given;
    if (method === "freeze") return first === undefined ? self : undefined;
    if (method === "+" && first !== undefined && second === undefined) {
      if (self.kind === "string" && first.kind === "string")
        return text(this.#sized(node, self.text + first.text).text);
      if (self.kind === "list" && first.kind === "list") {
        const items = [...self.items, ...first.items];
        if (items.length > MOST_STEPS) this.refuse(node, "a list is too long");
        return { kind: "list", items };
      }
      return undefined;
    }
    if (method === "join" && self.kind === "list" && second === undefined) return this.#join(node, self.items, first);
    if (method === "to_s" && first === undefined) {
      const known = toText(self);
      return known === undefined ? undefined : text(known);
    }
    if (method === "to_sym" && first === undefined && self.kind === "string")
      return { kind: "symbol", text: self.text };
    return undefined;
  }

  #join(node: RubyNode, items: readonly Value[], separator: Value | undefined): Value | undefined {
    if (separator !== undefined && separator.kind !== "string") return undefined;
    const texts = items.map(toText);
    return texts.every((item) => item !== undefined) ? this.#sized(node, texts.join(separator?.text ?? "")) : undefined;
  }

  #sized(node: RubyNode, made: string): { kind: "string"; text: string } {
    this.#length += made.length;
    if (this.#length > MOST_TEXT) this.refuse(node, `the texts of the file are longer than ${MOST_TEXT} characters`);
    return { kind: "string", text: made };
  }
}

type Exported = typeof nodes;
type InstanceOf<Class> = Class extends abstract new (...given: never[]) => infer Made ? Made : never;
type Kind = { [Name in keyof Exported]: InstanceOf<Exported[Name]> extends RubyNode ? Name : never }[keyof Exported];
export type NodeOf<Name extends Kind> = Extract<InstanceOf<Exported[Name]>, RubyNode>;

export function is<Name extends Kind>(node: RubyNode, kind: Name): node is NodeOf<Name> {
  const kinds: Partial<Record<string, unknown>> = nodes;
  const made = kinds[kind];
  return typeof made === "function" && node instanceof made;
}

/** `IfNode` becomes `If`; a bundler may have added a digit. */
function kindOf(node: RubyNode): string {
  return node.constructor.name.replace(/Node\d*$/u, "");
}

export function rubyNameOf(node: RubyNode): string {
  return "name" in node && typeof node.name === "string" ? node.name : "";
}

/** The value of a constant expression in a policies.rb. */
export type Value =
  | { kind: "string"; text: string }
  | { kind: "symbol"; text: string }
  | { kind: "regexp"; source: string; flags: string }
  | { kind: "list"; items: readonly Value[] }
  | { kind: "boolean"; value: boolean }
  | { kind: "nil" };

const NIL: Value = { kind: "nil" };

function text(value: string): Value {
  return { kind: "string", text: value };
}

/** Ruby's `to_s`; undefined if it isn't worth knowing. */
export function toText(value: Value): string | undefined {
  if (value.kind === "string" || value.kind === "symbol") return value.text;
  return undefined;
}
