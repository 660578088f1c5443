import type { JournalLine } from "./line.ts";

export interface PolicyFigures {
  /** `card@version#hook` */
  policy: string;
  kind: "enforcement" | "observer";
  asked: number;
  denies: number;
  asks: number;
  failures: number;
  /** Milliseconds; half of the calls took at most this. */
  p50: number;
  p99: number;
}

export interface JournalFigures {
  calls: number;
  denies: number;
  asks: number;
  /** Calls in which a policy failed, or drwn itself could not judge. */
  failures: number;
  first: string | null;
  last: string | null;
  /** Milliseconds of the whole hook process. */
  p50: number;
  p99: number;
  policies: PolicyFigures[];
}

export function countCalls(lines: readonly JournalLine[]): JournalFigures {
  const policies = new Map<string, { figures: PolicyFigures; times: number[] }>();
  const entries = lines.flatMap((line) => line.policies.map((entry) => ({ ...entry, line })));
  for (const { policy, kind, decision, failure, ms, line } of entries) {
    const counted = policies.get(policy) ?? { figures: { ...NOTHING, policy, kind }, times: [] };
    policies.set(policy, counted);
    counted.times.push(ms);
    counted.figures.asked++;
    // A guard that fails denies, too.
    const hasDeniedByFailure = failure !== undefined && line.rule === "failure" && line.by === policy;
    if (decision === "deny" || hasDeniedByFailure) counted.figures.denies++;
    if (decision === "ask") counted.figures.asks++;
    if (failure !== undefined) counted.figures.failures++;
  }
  const all = lines.map(({ ms }) => ms);
  return {
    calls: lines.length,
    denies: lines.filter(({ verdict }) => verdict === "deny").length,
    asks: lines.filter(({ verdict }) => verdict === "ask").length,
    failures: lines.filter(hasFailed).length,
    first: lines[0]?.time ?? null,
    last: lines.at(-1)?.time ?? null,
    ...percentiles(all),
    policies: [...policies.values()]
      .map(({ figures, times }) => ({ ...figures, ...percentiles(times) }))
      .sort((one, other) => (one.policy < other.policy ? -1 : 1)),
  };
}

const NOTHING = { asked: 0, denies: 0, asks: 0, failures: 0, p50: 0, p99: 0 };

function hasFailed({ problem, policies }: JournalLine): boolean {
  return problem !== undefined || policies.some(({ failure }) => failure !== undefined);
}

/** By the nearest rank. */
function percentiles(times: readonly number[]): { p50: number; p99: number } {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
