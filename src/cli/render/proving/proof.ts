import type { HookProof } from "../../../card/hooks/hook-index.ts";
import { plural } from "../../../kernel/text.ts";

interface Found {
  mutants: HookProof["mutants"] | null;
  coverage: HookProof["coverage"];
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

/** Beyond the cases: how many mutants of them were held, and how much of the hook they reach. */
export function listProof({ mutants, coverage }: Found): string[] {
  const held = mutants === null ? [] : [`${mutants.held} of ${plural(mutants.tried, "mutant")} held`];
  if (coverage === null) return held;
  if (coverage.lines.of === 0) return [...held, "no line counted"];
  const { lines, branches } = coverage;
  return [
    ...held,
    `${percent(lines)} of ${plural(lines.of, "line")}`,
    `${percent(branches)} of ${plural(branches.of, "branch", "branches")}`,
  ];
}

/** Never rounded up: 100 % is all of them. */
function percent({ reached, of }: { reached: number; of: number }): string {
  return `${of === 0 ? 100 : Math.floor((reached / of) * 100)} %`;
}
