import { sortedJson } from "../../../helpers/handlers/sorted-json.ts";
import { PatternFault } from "../../../helpers/pattern/characters.ts";
import { compileGlob, type GlobDialect } from "../../../helpers/pattern/glob.ts";
import { compileLinear } from "../../../helpers/pattern/linear-pattern.ts";
import type { ArawnSubject } from "../hook/hook.ts";

export type Filter = (subject: ArawnSubject) => boolean;

/** A filter, or what is wrong with its text. */
export type FilterResult = { filter: Filter } | { fault: string };

/** Slashes, braces, bars and backslashes are ordinary characters. */
const GLOB: GlobDialect = { stopsAtSlash: false, stars: "whole-parts", negations: ["!"], hasBraces: false };

/** A filter for the whole name of the tool. */
export function toolFilter(glob: string): FilterResult {
  return orFault(() => {
    const matches = compileGlob(glob, GLOB);
    return ({ tool }) => tool !== undefined && matches(tool);
  });
}

/**
 * A filter that searches anywhere in the params as JSON. Params that are too large to search in time count as a match,
 * so that the hook decides.
 */
export function paramsFilter(pattern: string): FilterResult {
  return orFault(() => {
    const compiled = compileLinear(pattern);
    return ({ params }) => params !== undefined && compiled.search(sortedJson(params)) !== false;
  });
}

/** A matcher from settings: `A|B`, each a glob, or `Name(glob on the JSON text of the input)`. */
export function settingsFilter(matcher: string): FilterResult {
  return orFault(() => {
    const alternatives = splitAlternatives(matcher).map((text) => {
      const [, name = text, input] = /^([^()]*)\((.*)\)$/su.exec(text) ?? [];
      if (name === "") throw new PatternFault("an alternative names no tool");
      if (/[()]/u.test(name)) throw new PatternFault("a parenthesis is not closed, or opens nothing");
      const isTool = compileGlob(name, GLOB);
      const isInput = input === undefined ? undefined : compileGlob(input, GLOB);
      return ({ tool, params }: ArawnSubject) =>
        tool !== undefined && isTool(tool) && (isInput === undefined || isInput(sortedJson(params)));
    });
    return (subject) => alternatives.some((one) => one(subject));
  });
}

/** Splits at every bar that isn't inside parentheses. */
function splitAlternatives(matcher: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const character of matcher) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "|" && depth === 0) parts.push("");
    else parts.push((parts.pop() ?? "") + character);
  }
  return parts;
}

function orFault(compile: () => Filter): FilterResult {
  try {
    return { filter: compile() };
  } catch (error) {
    if (error instanceof PatternFault) return { fault: error.message };
    throw error;
  }
}
