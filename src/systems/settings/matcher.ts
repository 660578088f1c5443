import { compileMatcher } from "../../card/matcher.ts";
import { isProblem } from "../../kernel/problem.ts";

export type SettingsOwner = "claude" | "codex";

/**
 * What the agents take as exact names. Anything else is a regular expression, which they search for anywhere in a name.
 */
const EXACT: Readonly<Record<SettingsOwner, RegExp>> = { claude: /^[\w\- ,|]+$/u, codex: /^[\w|]+$/u };
/** Alternatives in one pair of parentheses, with anchors for all of them. */
const GROUP = /^(?<start>\^?)\((?:\?:)?(?<inner>[^()]*)\)(?<end>\$?)$/u;
/** Names with wildcards: the regular expressions that a glob can also express. */
const ALTERNATIVE = /^(?<start>\^?)(?<body>(?:[\w-]|\.\*)+)(?<end>\$?)$/u;

/** The glob for a matcher in the settings; null: every tool. */
export function readMatcher(matcher: string | null, owner: SettingsOwner): { glob: string | null } | { why: string } {
  if (matcher === null || matcher === "" || matcher === "*") return { glob: null };
  const globs = EXACT[owner].test(matcher) ? namesIn(matcher) : globsOf(matcher);
  if (globs === undefined)
    return { why: `its matcher \`${matcher}\` is a regular expression that no glob can express` };
  if (globs.includes("*")) return { glob: null };
  const glob = globs.join("|");
  try {
    compileMatcher(glob);
    return { glob };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { why: error.message };
  }
}

function namesIn(matcher: string): string[] {
  return matcher.split(/[|,]/u).map((name) => name.trim());
}

/** Undefined: some of it has no glob. An alternative without an anchor may have anything at that end. */
function globsOf(matcher: string): string[] | undefined {
  const { start = "", inner = matcher, end = "" } = GROUP.exec(matcher)?.groups ?? {};
  const globs: string[] = [];
  for (const alternative of inner.split("|")) {
    const found = ALTERNATIVE.exec(alternative)?.groups;
    if (found === undefined) return undefined;
    const isBegun = `${start}${found["start"]}` !== "";
    const isEnded = `${end}${found["end"]}` !== "";
    const body = (found["body"] ?? "").replaceAll(".*", "*");
    globs.push(`${isBegun ? "" : "*"}${body}${isEnded ? "" : "*"}`.replace(/\*+/gu, "*"));
  }
  return globs;
}
