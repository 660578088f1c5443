import type { JournalLine } from "./segments.ts";

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

/** What has been counted so far. */
interface CountState extends Omit<JournalFigures, "p50" | "p99" | "policies"> {
  times: Times;
  policies: Map<string, { figures: PolicyFigures; times: Times }>;
}

/** Counts calls one by one, so that they needn't all be in memory. */
export class CallCount {
  readonly #state: CountState = {
    ...{ calls: 0, denies: 0, asks: 0, failures: 0, first: null, last: null },
    times: new Map(),
    policies: new Map(),
  };

  add(line: JournalLine): void {
    const state = this.#state;
    state.calls++;
    if (line.verdict === "deny") state.denies++;
    if (line.verdict === "ask") state.asks++;
    if (hasFailed(line)) state.failures++;
    addTime(state.times, line.ms);
    state.first ??= line.time;
    state.last = line.time;
    for (const answer of line.policies) this.#addPolicy(answer, line);
  }

  #addPolicy({ policy, kind, decision, failure, ms }: JournalLine["policies"][number], line: JournalLine): void {
    const { figures, times } = this.#policyOf(policy, kind);
    addTime(times, ms);
    figures.asked++;
    // A guard that fails denies, too.
    const hasDeniedByFailure = failure !== undefined && line.rule === "failure" && line.by === policy;
    if (decision === "deny" || hasDeniedByFailure) figures.denies++;
    if (decision === "ask") figures.asks++;
    if (failure !== undefined) figures.failures++;
  }

  #policyOf(policy: string, kind: PolicyFigures["kind"]): { figures: PolicyFigures; times: Times } {
    const { policies } = this.#state;
    const known = policies.get(policy);
    if (known !== undefined) return known;
    const counted = { figures: { ...NOTHING, policy, kind }, times: new Map() };
    policies.set(policy, counted);
    return counted;
  }

  figures(): JournalFigures {
    const { times, policies, ...figures } = this.#state;
    return {
      ...figures,
      ...percentilesOf(times),
      policies: [...policies.values()]
        .map((one) => ({ ...one.figures, ...percentilesOf(one.times) }))
        .sort((one, other) => (one.policy < other.policy ? -1 : 1)),
    };
  }
}

const NOTHING = { asked: 0, denies: 0, asks: 0, failures: 0, p50: 0, p99: 0 };

export function hasFailed({ problem, policies }: JournalLine): boolean {
  return problem !== undefined || policies.some(({ failure }) => failure !== undefined);
}

/** How many calls took how many milliseconds. Times have tenths of a millisecond, so many are equal. */
type Times = Map<number, number>;

function addTime(times: Times, ms: number): void {
  times.set(ms, (times.get(ms) ?? 0) + 1);
}

/** By the nearest rank. */
function percentilesOf(times: Times): { p50: number; p99: number } {
  const sorted = [...times].sort(([one], [other]) => one - other);
  const calls = sorted.reduce((sum, [, count]) => sum + count, 0);
  const at = (share: number): number => {
    let left = Math.ceil(calls * share);
    for (const [ms, count] of sorted) {
      left -= count;
      if (left <= 0) return ms;
    }
    return 0;
  };
  return { p50: at(0.5), p99: at(0.99) };
}
