import { compileGlob, type GlobDialect } from "../../../helpers/pattern/glob.ts";
import { compileLinear } from "../../../helpers/pattern/linear-pattern.ts";
import type { HookMatcher } from "./hook.ts";

/** Whether a hook runs for an event with this data. */
export type Matches = (data: Readonly<Record<string, unknown>>) => boolean;

const GLOB: GlobDialect = { stopsAtSlash: false, stars: "as-one", negations: ["!", "^"], hasBraces: true };

/** Throws a `PatternFault` for a broken pattern, which would otherwise match nothing, or everything. */
export function compileAstridMatcher(matcher: HookMatcher | null): Matches {
  if (matcher === null) return () => true;
  if (matcher.type === "tool_names") return (data) => isNamed(data["tool_name"], matcher.names);
  if (matcher.type === "server_names") return (data) => isNamed(data["server_name"], matcher.names);
  const { type, pattern } = matcher;
  const search = type === "glob" ? compileGlob(pattern, GLOB) : compileRegex(pattern);
  return ({ tool_name: tool }) => typeof tool === "string" && search(tool);
}

function isNamed(name: unknown, names: readonly string[]): boolean {
  return names.some((one) => one === name);
}

/** A name that would take too long to search counts as a match. */
function compileRegex(source: string): (text: string) => boolean {
  const pattern = compileLinear(source);
  return (text) => pattern.search(text) !== false;
}
