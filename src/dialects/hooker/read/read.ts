import type { HookerFile, HookerPattern, HookerPolicy } from "../data/policies.ts";
import { type DeclaredPolicy, RUBY_CONSTANTS } from "./declared.ts";
import { Evaluator, is, type NodeOf, type RubyNames, rubyNameOf, toText, type Value } from "./evaluate.ts";
import { HookerRefusal, parseRuby, type RubyNode } from "./parse.ts";
import { compilePattern, escapeRuby } from "./pattern.ts";
import { applyWord, readCallArguments, WORDS } from "./words.ts";

/** Compiles a policies.rb to the data that judges events, or says in one sentence what is wrong with it. */
export function compileFile(bytes: Uint8Array): HookerFile {
  try {
    return { policies: readPoliciesRb(bytes).map(compilePolicy) };
  } catch (error) {
    if (error instanceof HookerRefusal) return { error: error.message };
    // The parser's own limits: nesting that nobody writes.
    return { error: `the file cannot be parsed: ${error instanceof Error ? error.message : ""}` };
  }
}

function compilePolicy({ line: _, tool, match, ...policy }: DeclaredPolicy): HookerPolicy {
  return { ...policy, tool: tool === null ? null : compilePattern(tool.ruby), match: compileMatch(match) };
}

function compileMatch(match: DeclaredPolicy["match"]): HookerPattern | { constant: string } | null {
  const ruby = rubyOf(match);
  if (ruby !== null) return compilePattern(ruby);
  return match !== null && "constant" in match ? { constant: match.constant } : null;
}

/** The regular expression that hooker makes of it; null: there is none. */
export function rubyOf(match: DeclaredPolicy["match"]): string | null {
  if (match === null) return null;
  if ("constant" in match) return RUBY_CONSTANTS.get(match.constant) ?? null;
  if ("file" in match) return String.raw`(?:\A|/)${escapeRuby(match.file)}\z`;
  return match.ruby;
}

/** The largest policies.rb that drwn reads. */
const LARGEST_FILE = 16 * 1024 * 1024;

/** Characters that end a program for Ruby, or that only some ways to read it see. */
const REFUSED_CHARACTERS = /[\0\u0004\u001a]|^\ufeff/u;
const ENCODING = /^(?:#!.*\n)?#.*coding[:=]\s*(?!utf-?8\b)[\w.-]+/iu;

/**
 * The policies of a policies.rb, in order. Runs nothing. Anything outside the language refuses the whole file with a
 * `HookerRefusal`, and so does any text that two versions of Ruby might read differently.
 */
export function readPoliciesRb(bytes: Uint8Array): DeclaredPolicy[] {
  if (bytes.length > LARGEST_FILE) throw new HookerRefusal(1, `the file is larger than ${LARGEST_FILE} bytes`);
  const source = decode(bytes);
  const { root, lineOf } = parseRuby(source);
  const reader = new FileReader(new Evaluator(lineOf), lineOf);
  if (is(root, "ProgramNode")) reader.readBody(root.statements, new Map(), undefined);
  return reader.policies;
}

function decode(bytes: Uint8Array): string {
  let source: string;
  try {
    source = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new HookerRefusal(1, "invalid multibyte char (UTF-8): the file is not UTF-8");
  }
  if (REFUSED_CHARACTERS.test(source)) throw new HookerRefusal(1, "the file has a control character in it");
  if (ENCODING.test(source)) throw new HookerRefusal(1, "the file has an encoding of its own");
  // Versions of Ruby disagree about how much of a tab `<<~` removes.
  if (source.includes("<<~") && /^ *\t/mu.test(source)) {
    throw new HookerRefusal(1, "`<<~` in a file in which lines begin with tabs is not read");
  }
  return source;
}

class FileReader {
  readonly policies: DeclaredPolicy[] = [];
  readonly #withOn = new Set<DeclaredPolicy>();
  readonly #evaluator: Evaluator;
  readonly #lineOf: (node: RubyNode) => number;

  constructor(evaluator: Evaluator, lineOf: (node: RubyNode) => number) {
    this.#evaluator = evaluator;
    this.#lineOf = lineOf;
  }

  /** Reads statements one after another; `policy` is the policy around them. */
  readBody(body: RubyNode | null, names: RubyNames, policy: DeclaredPolicy | undefined): void {
    if (body === null) return;
    if (!is(body, "StatementsNode")) this.#evaluator.refuse(body);
    else for (const statement of body.body) this.#readStatement(statement, names, policy);
  }

  #readStatement(node: RubyNode, names: RubyNames, policy: DeclaredPolicy | undefined): void {
    this.#evaluator.count(node);
    if (is(node, "LocalVariableWriteNode") || is(node, "ConstantWriteNode")) {
      this.#assign(node, names, policy);
      return;
    }
    if (!is(node, "CallNode")) {
      if (is(node, "NilNode") || is(node, "StringNode") || is(node, "SymbolNode") || is(node, "TrueNode")) return;
      this.#evaluator.refuse(node);
      return;
    }
    if (node.receiver !== null) this.#readEach(node, names, policy);
    else if (policy === undefined) this.#readPolicy(node, names);
    else this.#readWord(node, names, policy);
  }

  #assign(
    node: RubyNode & { name: string; value: RubyNode },
    names: RubyNames,
    policy: DeclaredPolicy | undefined,
  ): void {
    const isConstant = is(node, "ConstantWriteNode");
    if (isConstant && (policy !== undefined || names.has(node.name))) {
      this.#evaluator.refuse(node, `\`${node.name}\` is set a second time, or inside of a policy`);
    }
    names.set(node.name, this.#evaluator.valueOf(node.value, names));
  }

  #readPolicy(node: NodeOf<"CallNode">, names: RubyNames): void {
    if (node.name !== "policy") throw this.#refusalOf(node);
    const { positional } = readCallArguments(node, names, { evaluator: this.#evaluator, allowed: [] });
    const [name, second] = positional;
    const text = name === undefined ? undefined : toText(name);
    if (text === undefined || second !== undefined) this.#evaluator.refuse(node, "a policy has one name, a text");
    const body = this.#block(node);
    if (body.parameters !== null) this.#evaluator.refuse(node, "the block of a policy has no parameters");
    const policy = emptyPolicy(text, this.#lineOf(node));
    // A block's locals end with it, and those around it live on; nothing inside sets them.
    this.readBody(body.body, new Map(names), policy);
    this.policies.push(policy);
  }

  #readWord(node: NodeOf<"CallNode">, names: RubyNames, policy: DeclaredPolicy): void {
    const allowed = Object.hasOwn(WORDS, node.name) ? WORDS[node.name] : undefined;
    if (allowed === undefined) throw this.#refusalOf(node);
    if (node.block !== null) throw this.#evaluator.refusal(node, `\`${node.name}\` takes no block`);
    const isSecond =
      node.name === "on" ? this.#withOn.has(policy) : node.name === "when_prompt" && policy.when !== null;
    if (isSecond) throw this.#evaluator.refusal(node, `\`${node.name}\` is there twice`);
    if (node.name === "on") this.#withOn.add(policy);
    const given = readCallArguments(node, names, { evaluator: this.#evaluator, allowed });
    applyWord(node.name, policy, given, this.#evaluator);
  }

  /** Reads `[…].each do |x| … end` as if it were written out. */
  #readEach(node: NodeOf<"CallNode">, names: RubyNames, policy: DeclaredPolicy | undefined): void {
    if (node.name !== "each" || node.receiver === null || node.isSafeNavigation() || node.arguments_ !== null) {
      throw this.#evaluator.refusal(node, `the method \`${node.name}\` is not part of the policy language`);
    }
    const list = this.#evaluator.valueOf(node.receiver, names);
    const block = this.#block(node);
    const parameter = this.#parameterOf(block);
    if (list.kind !== "list") throw this.#evaluator.refusal(node, "`each` is for lists");
    for (const item of list.items) {
      const inner: Map<string, Value> = new Map(names);
      if (parameter !== undefined) inner.set(parameter, item);
      this.#refuseOuterWrites(block.body, names);
      this.readBody(block.body, inner, policy);
    }
  }

  /** After a block has set a local from outside, the local has another value. This reader doesn't follow that. */
  #refuseOuterWrites(body: RubyNode | null, names: RubyNames): void {
    if (body === null || !is(body, "StatementsNode")) return;
    for (const statement of body.body) {
      if (
        is(statement, "ConstantWriteNode") ||
        (is(statement, "LocalVariableWriteNode") && names.has(statement.name))
      ) {
        this.#evaluator.refuse(statement, `\`${statement.name}\` is set inside of a block`);
      }
    }
  }

  #parameterOf({ parameters }: NodeOf<"BlockNode">): string | undefined {
    if (parameters === null) return undefined;
    if (!is(parameters, "BlockParametersNode") || parameters.locals.length > 0)
      throw this.#evaluator.refusal(parameters);
    const list = parameters.parameters;
    if (list === null) return undefined;
    const [only, second] = list.requireds;
    const others = [list.optionals, list.posts, list.keywords].flat();
    const isPlain = others.length === 0 && list.rest === null && list.keywordRest === null && list.block === null;
    if (only === undefined || second !== undefined || !isPlain || !is(only, "RequiredParameterNode")) {
      throw this.#evaluator.refusal(parameters);
    }
    return rubyNameOf(only);
  }

  #block(node: NodeOf<"CallNode">): NodeOf<"BlockNode"> {
    const { block } = node;
    if (block === null || !is(block, "BlockNode"))
      throw this.#evaluator.refusal(node, `\`${node.name}\` needs a block`);
    return block;
  }

  #refusalOf(node: NodeOf<"CallNode">): HookerRefusal {
    return this.#evaluator.refusal(node, `\`${node.name}\` is not a word of the policy language here`);
  }
}

function emptyPolicy(name: string, line: number): DeclaredPolicy {
  return { name, line, event: null, tool: null, match: null, matchField: null, when: null, action: null };
}
