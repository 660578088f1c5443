import { NATIVE_TOOLS, nativeNames } from "../../../policy/dialect-names.ts";
import { compileAstridMatcher, type HookMatcher } from "./hook.ts";

/** A tool under Astrid's names. */
interface ToolNames {
  tool_name: string;
  server_name?: string;
}

interface ToolReference {
  runtime: string;
  /** The name that all agents have for it. */
  canonical: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The names by which Astrid's hooks know a tool, the usual one first. In Astrid, these are the names that it sent.
 * Elsewhere, a server's tool has its own name, and every other tool belongs to the server `builtin`.
 */
export function toolNamesOf({ runtime, canonical, metadata = {} }: ToolReference): readonly ToolNames[] {
  const { tool_name: reported, server_name: server } = metadata;
  if (runtime === "astrid") {
    const tool_name = typeof reported === "string" ? reported : canonical;
    return [{ tool_name, ...(typeof server === "string" ? { server_name: server } : {}) }];
  }
  const [, named, tool] = /^mcp__(.+?)__(.+)$/su.exec(canonical) ?? [];
  if (named !== undefined && tool !== undefined) return [{ tool_name: tool, server_name: named }];
  return nativeNames("astrid", { runtime, canonical, reported: canonical }).map((tool_name) => {
    return { tool_name, server_name: "builtin" };
  });
}

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
