import { compileMatcher } from "../../card/matcher.ts";
import { isProblem } from "../../kernel/problem.ts";

/** Names, alternatives of names, and names that begin or end with anything: what of regular expressions a glob says as well. */
const EXPRESSIBLE = /^(?:(?:[\w-]|\.\*)+)(?:\|(?:[\w-]|\.\*)+)*$/u;

/** The glob for a matcher of the settings; null: every tool. */
export function readMatcher(matcher: string | null): { glob: string | null } | { why: string } {
  if (matcher === null || matcher === "" || matcher === "*" || matcher === ".*") return { glob: null };
  const plain = matcher
    .replace(/^\^/u, "")
    .replace(/\$$/u, "")
    .replace(/^\(([^()]*)\)$/u, "$1");
  if (!EXPRESSIBLE.test(plain)) return { why: `its matcher \`${matcher}\` is a regular expression that no glob says` };
  const glob = plain.replaceAll(".*", "*");
  try {
    compileMatcher(glob);
    return { glob };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { why: error.message };
  }
}
