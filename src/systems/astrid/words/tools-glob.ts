import type { HookMatcher } from "./hook.ts";

/** What a matcher of drwn may have in it, and how long it may be. */
const PLAIN = /^[\p{L}\p{N}_.:/@*?-]+$/u;
const LONGEST = 128;
const MOST_STARS = 3;

/**
 * A matcher of drwn that no tool escapes which the hook is about, under the name that agents give a server's tools, too.
 * Undefined: there is none, and the policy is asked about every tool.
 */
export function toolsGlob(matcher: HookMatcher): string | undefined {
  if (matcher.type === "regex") return undefined;
  if (matcher.type === "server_names") {
    return matcher.names.includes("builtin") ? undefined : join(matcher.names.map((name) => `mcp__${name}__*`));
  }
  const names = matcher.type === "glob" ? [matcher.pattern] : matcher.names;
  return join(names.flatMap((name) => [name, `mcp__*__${name}`]));
}

function join(globs: readonly string[]): string | undefined {
  const glob = globs.join("|");
  const isPlain = globs.every((one) => PLAIN.test(one) && one.split(/\*+/u).length - 1 <= MOST_STARS + 1);
  return isPlain && globs.length > 0 && !glob.startsWith("./") && Buffer.byteLength(glob) <= LONGEST ? glob : undefined;
}
