import { PatternFault } from "../../../helpers/pattern/characters.ts";
import { compileLinear } from "../../../helpers/pattern/linear-pattern.ts";
import { globToPattern, MatcherFault } from "./glob.ts";
import type { HookMatcher } from "./hook.ts";

export { MatcherFault };

/** Whether a hook runs for an event with this data. */
export type Matches = (data: Readonly<Record<string, unknown>>) => boolean;

/** Throws a `MatcherFault` for a broken pattern, which would otherwise match nothing, or everything. */
export function compileAstridMatcher(matcher: HookMatcher | null): Matches {
  if (matcher === null) return () => true;
  if (matcher.type === "tool_names") return (data) => isNamed(data["tool_name"], matcher.names);
  if (matcher.type === "server_names") return (data) => isNamed(data["server_name"], matcher.names);
  const search = compilePattern(matcher.type === "glob" ? globToPattern(matcher.pattern) : matcher.pattern);
  return ({ tool_name: tool }) => typeof tool === "string" && search(tool);
}

function isNamed(name: unknown, names: readonly string[]): boolean {
  return names.some((one) => one === name);
}

/** A name on which the search would take too long is taken for a match. */
function compilePattern(source: string): (text: string) => boolean {
  try {
    const pattern = compileLinear(source);
    return (text) => pattern.search(text) !== false;
  } catch (error) {
    if (error instanceof PatternFault) throw new MatcherFault(error.message);
    throw error;
  }
}
