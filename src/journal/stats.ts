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

/** Counts calls one after the other, so that nobody has to hold all of them. */
export class CallCount {
  readonly #policies = new Map<string, { figures: PolicyFigures; times: number[] }>();
  readonly #figures = { calls: 0, denies: 0, asks: 0, failures: 0 };
  readonly #times: number[] = [];
  #first: string | null = null;
  #last: string | null = null;

  add(line: JournalLine): void {
    this.#figures.calls++;
    if (line.verdict === "deny") this.#figures.denies++;
    if (line.verdict === "ask") this.#figures.asks++;
    if (hasFailed(line)) this.#figures.failures++;
    this.#times.push(line.ms);
    this.#first ??= line.time;
    this.#last = line.time;
    for (const answer of line.policies) this.#addPolicy(answer, line);
  }

  #addPolicy({ policy, kind, decision, failure, ms }: JournalLine["policies"][number], line: JournalLine): void {
    const counted = this.#policies.get(policy) ?? { figures: { ...NOTHING, policy, kind }, times: [] };
    this.#policies.set(policy, counted);
    counted.times.push(ms);
    counted.figures.asked++;
    // A guard that fails denies, too.
    const hasDeniedByFailure = failure !== undefined && line.rule === "failure" && line.by === policy;
    if (decision === "deny" || hasDeniedByFailure) counted.figures.denies++;
    if (decision === "ask") counted.figures.asks++;
    if (failure !== undefined) counted.figures.failures++;
  }

  figures(): JournalFigures {
    return {
      ...this.#figures,
      first: this.#first,
      last: this.#last,
      ...percentiles(this.#times),
      policies: [...this.#policies.values()]
        .map(({ figures, times }) => ({ ...figures, ...percentiles(times) }))
        .sort((one, other) => (one.policy < other.policy ? -1 : 1)),
    };
  }
}

const NOTHING = { asked: 0, denies: 0, asks: 0, failures: 0, p50: 0, p99: 0 };

export function hasFailed({ problem, policies }: JournalLine): boolean {
  return problem !== undefined || policies.some(({ failure }) => failure !== undefined);
}

/** By the nearest rank. */
function percentiles(times: readonly number[]): { p50: number; p99: number } {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
