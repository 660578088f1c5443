import { NATIVE_TOOLS } from "../../../policy/native-tools.ts";
import type { HookMatcher } from "./hook.ts";
import { compileAstridMatcher } from "./matcher.ts";

/** The characters of a drwn matcher, and its greatest length. */
const PLAIN = /^[\p{L}\p{N}_.:/@*?-]+$/u;
const LONGEST = 128;
const MOST_STARS = 3;

/**
 * A drwn matcher that finds every tool that one of the hooks is about, under the names that agents give a server's
 * tools and under Astrid's. Undefined: there is none, and the policy is asked about every tool.
 */
export function toolsGlob(matchers: readonly (HookMatcher | undefined)[]): string | undefined {
  const globs = matchers.map((matcher) => (matcher === undefined ? undefined : globsOf(matcher)));
  return globs.some((some) => some === undefined) ? undefined : join([...new Set(globs.flatMap((some) => some ?? []))]);
}

function globsOf(matcher: HookMatcher): string[] | undefined {
  if (matcher.type === "regex") return undefined;
  if (matcher.type === "server_names") {
    return matcher.names.includes("builtin") ? undefined : matcher.names.map((name) => `mcp__${name}__*`);
  }
  const names = matcher.type === "glob" ? [matcher.pattern] : matcher.names;
  const matches = compileAstridMatcher(matcher);
  const canonical = Object.entries(NATIVE_TOOLS.astrid).flatMap(([own, name]) =>
    matches({ tool_name: own }) ? [name] : [],
  );
  return [...names.flatMap((name) => [name, `mcp__*__${name}`]), ...canonical];
}

function join(globs: readonly string[]): string | undefined {
  const glob = globs.join("|");
  const isPlain = globs.every((one) => PLAIN.test(one) && one.split(/\*+/u).length - 1 <= MOST_STARS + 1);
  return isPlain && globs.length > 0 && !glob.startsWith("./") && Buffer.byteLength(glob) <= LONGEST ? glob : undefined;
}
