import { compileMatcher } from "../../../card/matcher.ts";
import { isProblem } from "../../../kernel/problem.ts";
import { NATIVE_TOOLS } from "../../../policy/native-tools.ts";
import type { HookDef } from "../hook/hook.ts";

/** The card matcher that finds the same tools (null: every tool), or the reason why there is none. */
export function matcherOf({
  toolMatch: glob,
  generation,
}: HookDef): { matcher: string | null; notes: string[] } | { why: string } {
  if (glob === null) return { matcher: null, notes: [] };
  try {
    // Arawn takes these characters literally, and drwn doesn't.
    if ((generation === "settings.json" ? /^!|[{},]/u : /^!|[{},|]/u).test(glob))
      return { why: `its tool_match \`${glob}\` means something else in a card` };
    const matcher = inBraces(glob);
    return { matcher, notes: noteOn(glob, new RegExp(compileMatcher(matcher), "u")) };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { why: `its tool_match cannot be in a card: ${error.message}` };
  }
}

function noteOn(glob: string, isMeant: RegExp): string[] {
  const missed = Object.entries(NATIVE_TOOLS.arawn).filter(
    ([own, canonical]) => isMeant.test(canonical) && !isMeant.test(own),
  );
  return [
    `\`${glob}\` is compared with Arawn's own names of tools in every agent; a tool that it has none for goes by the name that policies know`,
    ...missed.map(
      ([own, canonical]) => `\`${glob}\` does not find ${canonical} of other agents, which is \`${own}\` to Arawn`,
    ),
  ];
}

/** A class that isn't negated. A `]` that comes first is one of its characters. */
const CLASS = /\[(?!!)(\]?[^\]]*)\]/gu;

/**
 * Writes `[ab-d]x` as `{a,b,c,d}x`: a matcher has no classes. What no matcher can express stays as it is, and is
 * refused later.
 */
function inBraces(glob: string): string {
  return glob.replaceAll(CLASS, (whole, inside: string) => {
    const characters = [...inside.matchAll(/(.)-(.)|./gsu)].flatMap(([one, first, last]) =>
      first === undefined || last === undefined ? [one] : between(first, last),
    );
    const distinct = [...new Set(characters)];
    if (!distinct.every((one) => /^[\p{L}\p{N}_.:/@-]$/u.test(one))) return whole;
    return distinct.length === 1 ? distinct.join("") : `{${distinct.join(",")}}`;
  });
}

/** No more characters than a matcher can have. */
const MOST = 64;

function between(first: string, last: string): string[] {
  const from = first.codePointAt(0) ?? 0;
  const length = Math.min((last.codePointAt(0) ?? 0) - from + 1, MOST + 1);
  return Array.from({ length }, (_, at) => String.fromCodePoint(from + at));
}
