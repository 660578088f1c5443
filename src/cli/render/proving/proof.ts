import type { HookProof } from "../../../card/hooks/hook-index.ts";
import { plural } from "../../../kernel/text.ts";

interface Found {
  mutants: HookProof["mutants"] | null;
}

interface Tried extends Found {
  cases: number;
  passed: number;
  failed: number;
  todo: number;
}

/** `3 cases, 2 passed, 1 to do, 54 of 54 mutants held`. */
export function sumUp({ cases, passed, failed, todo, ...found }: Tried): string {
  const counts = [`${passed} passed`, ...count(failed, "failed"), ...count(todo, "to do")];
  return cases === 0 ? "no cases" : [plural(cases, "case"), ...counts, ...listProof(found)].join(", ");
}

function count(number: number, what: string): string[] {
  return number === 0 ? [] : [`${number} ${what}`];
}

/** How many mutants of the cases were held. */
export function listProof({ mutants }: Found): string[] {
  return mutants === null ? [] : [`${mutants.held} of ${plural(mutants.tried, "mutant")} held`];
}
