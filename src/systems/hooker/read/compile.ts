import type { HookerFile, HookerPattern, HookerPolicy } from "../data/policies.ts";
import { RUBY_CONSTANTS } from "./constants.ts";
import type { DeclaredPolicy } from "./declared.ts";
import { compilePattern, escapeRuby } from "./pattern.ts";
import { readPoliciesRb } from "./read.ts";
import { HookerRefusal } from "./refusal.ts";

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
