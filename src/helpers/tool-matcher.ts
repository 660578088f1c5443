const MOST_ALTERNATIVES = 64;
const MOST_BYTES = 128;
const MOST_STARS = 4;

/**
 * A matcher for the same tools as the pattern, so that the policy isn't asked about others. Undefined: no glob means
 * the same as the pattern.
 */
export function matcherFor(tool: string | RegExp | undefined): string | undefined {
  const source = typeof tool === "string" ? tool : tool?.flags.includes("i") === false ? tool.source : undefined;
  if (source === undefined || source.length > MOST_BYTES) return undefined;
  const alternatives = source.split("|");
  const globs = alternatives.map((alternative) => alternative.replaceAll(".*", "*"));
  const isGlob = globs.every((glob) => /^[\w:*-]+$/u.test(glob) && glob.split("*").length - 1 <= MOST_STARS);
  // In a regular expression, `a*` means any number of `a`.
  const hasBareStar = alternatives.some((alternative) => /(?<!\.)\*/u.test(alternative) || alternative.includes("**"));
  return isGlob && !hasBareStar && globs.length <= MOST_ALTERNATIVES ? globs.join("|") : undefined;
}
