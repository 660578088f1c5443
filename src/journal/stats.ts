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

/** Counts calls one by one, so that they needn't all be in memory. */
export class CallCount {
  readonly #policies = new Map<string, { figures: PolicyFigures; times: Times }>();
  readonly #figures = { calls: 0, denies: 0, asks: 0, failures: 0 };
  readonly #times = new Times();
  #first: string | null = null;
  #last: string | null = null;

  add(line: JournalLine): void {
    this.#figures.calls++;
    if (line.verdict === "deny") this.#figures.denies++;
    if (line.verdict === "ask") this.#figures.asks++;
    if (hasFailed(line)) this.#figures.failures++;
    this.#times.add(line.ms);
    this.#first ??= line.time;
    this.#last = line.time;
    for (const answer of line.policies) this.#addPolicy(answer, line);
  }

  #addPolicy({ policy, kind, decision, failure, ms }: JournalLine["policies"][number], line: JournalLine): void {
    const counted = this.#policies.get(policy) ?? { figures: { ...NOTHING, policy, kind }, times: new Times() };
    this.#policies.set(policy, counted);
    counted.times.add(ms);
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
      ...this.#times.percentiles(),
      policies: [...this.#policies.values()]
        .map(({ figures, times }) => ({ ...figures, ...times.percentiles() }))
        .sort((one, other) => (one.policy < other.policy ? -1 : 1)),
    };
  }
}

const NOTHING = { asked: 0, denies: 0, asks: 0, failures: 0, p50: 0, p99: 0 };

export function hasFailed({ problem, policies }: JournalLine): boolean {
  return problem !== undefined || policies.some(({ failure }) => failure !== undefined);
}

/** How many calls took how long. Times have tenths of a millisecond, so many are equal. */
class Times {
  readonly #counts = new Map<number, number>();
  #calls = 0;

  add(ms: number): void {
    this.#counts.set(ms, (this.#counts.get(ms) ?? 0) + 1);
    this.#calls++;
  }

  /** By the nearest rank. */
  percentiles(): { p50: number; p99: number } {
    const sorted = [...this.#counts].sort(([one], [other]) => one - other);
    const at = (share: number): number => {
      let left = Math.ceil(this.#calls * share);
      for (const [ms, count] of sorted) {
        left -= count;
        if (left <= 0) return ms;
      }
      return 0;
    };
    return { p50: at(0.5), p99: at(0.99) };
  }
}
