import { type Evaluator, is, type RubyNames } from "./evaluate.ts";
import type { RubyNode } from "./parse.ts";
import type { Value } from "./value.ts";

/** The arguments of one call of the language's words. */
export interface CallArguments {
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
