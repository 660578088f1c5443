import { alternativesOf, compileMatcher } from "./matcher.ts";

/**
 * Whether a matcher takes every tool that another takes; null for a matcher: every tool. The answer is null where nobody
 * can tell. `false` is proven by a name that one takes and the other doesn't.
 */
export function takesAllOf(matcher: string | null, other: string | null): boolean | null {
  if (matcher === null || matcher === other) return true;
  if (witnessesOf(other).some((name) => isTaken(other, name) && !isTaken(matcher, name))) return false;
  if (other === null) return alternativesOf(matcher).includes("*") || null;
  const [isBut, isOtherBut] = [matcher.startsWith("!"), other.startsWith("!")];
  if (isBut && isOtherBut) return takesAllOf(other.slice(1), matcher.slice(1)) === true ? true : null;
  const own = alternativesOf(matcher);
  if (own.includes("*")) return true;
  if (isOtherBut) return null;
  const others = alternativesOf(other);
  if (isBut) return others.every((name) => !/[*?]/u.test(name)) ? true : null;
  return others.every((glob) => own.some((wider) => includes([...wider], [...glob]))) ? true : null;
}

/** Whether a glob takes all that the other takes. It may miss an inclusion, but claims none that isn't there. */
function includes([first, ...rest]: readonly string[], other: readonly string[]): boolean {
  const [next, ...others] = other;
  if (first === "*") return includes(rest, other) || (next !== undefined && includes([first, ...rest], others));
  if (first === undefined || next === undefined) return first === next;
  return next !== "*" && (first === "?" || first === next) && includes(rest, others);
}

/** Names as no matcher foresees them, to fill the gaps of a glob. */
const FILLINGS = ["", "x", "Zq9", "__other__tool"];

function witnessesOf(matcher: string | null): string[] {
  if (matcher === null || matcher.startsWith("!")) return FILLINGS.slice(1);
  return alternativesOf(matcher).flatMap((glob) =>
    FILLINGS.map((filling) => glob.replaceAll(/\*+/gu, filling).replaceAll("?", "Q")),
  );
}

/** Whether the matcher, null for every tool, takes this name. */
export function isTaken(matcher: string | null, name: string): boolean {
  return matcher === null || new RegExp(compileMatcher(matcher), "u").test(name);
}
