import type { TranscriptCall } from "../../agents/transcript/transcript.ts";
import { askCalls, type Judgement } from "./ask-calls.ts";
import { wordOf } from "./run-cases.ts";
import { type HookUnderTest, nameOfHook, type ProvingSandbox } from "./sandbox.ts";
import { simulateCall } from "./simulated-calls.ts";

type CaseWord = ReturnType<typeof wordOf>;

/** What some hooks together say about a call. */
interface ReplayRuling {
  verdict: CaseWord;
  /** Which hook says so; null: none objects. */
  by: string | null;
  reason: string;
}

/** A call that would not have gone through unchanged; in a comparison, one on which the two sides differ. */
interface ReplayedCall extends ReplayRuling {
  at: string;
  agent: string;
  session: string;
  folder: string | null;
  tool: string;
  /** The beginning of its input, as JSON. */
  input: string;
  outcome: TranscriptCall["outcome"];
  subagent: boolean;
  /** What the other side says about it; null: this isn't a comparison. */
  against: ReplayRuling | null;
}

interface ReplayFigures {
  calls: number;
  sessions: number;
  agents: string[];
  denied: number;
  /** Denied calls that had run when they were made. */
  deniedThatRan: number;
  asked: number;
  rewritten: number;
  /** The share of denied calls, and the highest share that so many calls cannot rule out. */
  rate: number;
  rateAtMost: number;
  /** For each policy: how many calls it was asked about, and what it said. */
  policies: Record<string, { asked: number; deny: number; ask: number; rewrite: number }>;
  /** Calls and parts of transcripts that could not be replayed, by reason. */
  left: Record<string, number>;
}

export interface Replay extends ReplayFigures {
  found: ReplayedCall[];
  /** True: there are more than the list has. */
  isCut: boolean;
  /** Somebody ended it before all calls were replayed. */
  isEnded: boolean;
}

interface ReplayRequest {
  home: string;
  hooks: readonly HookUnderTest[];
  /** The other side of a comparison; null: none. */
  against: readonly HookUnderTest[] | null;
  calls: AsyncGenerator<TranscriptCall>;
  /** The most calls to replay. */
  limit: number;
  signal?: AbortSignal | undefined;
  onProgress: (calls: number) => void;
}

/** How many calls are asked about together, by number and by the length of their inputs. */
const BATCH = { calls: 1_000, characters: 8 * 1024 * 1024 };
const MOST_LISTED = 5_000;
const LONGEST_INPUT = 1_000;
const MOST_REASONS = 100;

/** Asks hooks about calls from the past. Their answers have no effect. */
export class Replaying {
  readonly #place: ProvingSandbox;
  readonly #request: ReplayRequest;
  readonly #sessions = new Set<string>();
  readonly #agents = new Set<string>();
  readonly #left = new Map<string, number>();
  readonly #replay: Replay = {
    calls: 0,
    sessions: 0,
    agents: [],
    denied: 0,
    deniedThatRan: 0,
    asked: 0,
    rewritten: 0,
    rate: 0,
    rateAtMost: 1,
    policies: {},
    left: {},
    found: [],
    isCut: false,
    isEnded: false,
  };

  constructor(place: ProvingSandbox, request: ReplayRequest) {
    this.#place = place;
    this.#request = request;
  }

  /** Notes a call or a part of a transcript that isn't replayed. A transcript can give as many reasons as it has lines. */
  leave(why: string): void {
    const left = this.#left;
    const reason = left.has(why) || left.size < MOST_REASONS ? why : "other reasons";
    left.set(reason, (left.get(reason) ?? 0) + 1);
  }

  async run(): Promise<Replay> {
    const { calls, limit, signal, onProgress } = this.#request;
    let taken = 0;
    let batch: TranscriptCall[] = [];
    let size = 0;
    for await (const call of calls) {
      if (taken >= limit || signal?.aborted === true) break;
      taken++;
      batch.push(call);
      size += JSON.stringify(call.input).length;
      if (batch.length < BATCH.calls && size < BATCH.characters) continue;
      await this.#replayBatch(batch);
      batch = [];
      size = 0;
      onProgress(this.#replay.calls);
    }
    if (signal?.aborted !== true) await this.#replayBatch(batch);
    const replay = this.#replay;
    replay.isEnded = signal?.aborted === true;
    replay.sessions = this.#sessions.size;
    replay.agents = [...this.#agents].sort();
    replay.left = Object.fromEntries(this.#left);
    replay.rate = replay.calls === 0 ? 0 : replay.denied / replay.calls;
    replay.rateAtMost = upperRate(replay.denied, replay.calls);
    return replay;
  }

  async #replayBatch(batch: readonly TranscriptCall[]): Promise<void> {
    if (batch.length === 0) return;
    const { hooks, against } = this.#request;
    const said: [string, Judgement][] = [];
    const own = await this.#judge(hooks, batch, (...one) => said.push(one));
    const others = against === null ? null : await this.#judge(against, batch, () => {});
    // An unfinished batch says nothing.
    if (this.#place.signal.aborted) return;
    for (const one of said) this.#countPolicy(...one);
    for (const [at, call] of batch.entries()) {
      const [ruled, other] = [own[at], others === null ? null : others[at]];
      if (typeof ruled !== "object" || typeof other === "string" || other === undefined) {
        this.leave(typeof ruled === "string" ? ruled : String(other));
        continue;
      }
      this.#count(call, ruled, other);
    }
  }

  /** For each call, what the hooks say about it, or why nobody can tell. */
  async #judge(
    hooks: readonly HookUnderTest[],
    batch: readonly TranscriptCall[],
    hear: (name: string, answer: Judgement) => void,
  ): Promise<(ReplayRuling | string)[]> {
    const questions = batch.map(({ agent, tool, input, folder }) => {
      return { questions: [simulateCall({ agent, tool }, { input, cwd: folder, home: this.#request.home })] };
    });
    const ruled = batch.map((): ReplayRuling | string => ({ verdict: "allow", by: null, reason: "" }));
    for (const hook of hooks) {
      const name = nameOfHook(hook);
      const answers = await askCalls(this.#place, hook, questions);
      for (const [at, answer] of answers.entries()) {
        const before = ruled[at];
        if (before === undefined || typeof before === "string") continue;
        ruled[at] = faultOf(answer) ?? stricter(before, rulingOf(answer, name));
        hear(name, answer);
      }
    }
    return ruled;
  }

  #countPolicy(name: string, answer: Judgement): void {
    // If the adapter could not read the call, no policy was asked.
    if (!answer.isAsked) return;
    const { policies } = this.#replay;
    const figures = policies[name] ?? { asked: 0, deny: 0, ask: 0, rewrite: 0 };
    policies[name] = figures;
    const word = wordOf(answer);
    figures.asked++;
    if (word !== "allow") figures[word]++;
  }

  #count(call: TranscriptCall, ruled: ReplayRuling, other: ReplayRuling | null): void {
    const replay = this.#replay;
    const { verdict } = ruled;
    replay.calls++;
    this.#sessions.add(`${call.agent} ${call.session}`);
    this.#agents.add(call.agent);
    if (verdict === "deny") replay.denied++;
    if (verdict === "deny" && call.outcome === "ran") replay.deniedThatRan++;
    if (verdict === "ask") replay.asked++;
    if (verdict === "rewrite") replay.rewritten++;
    if (other === null ? verdict === "allow" : isAlike(ruled, other)) return;
    if (replay.found.length >= MOST_LISTED) replay.isCut = true;
    else replay.found.push(describe(call, ruled, other));
  }
}

function describe(call: TranscriptCall, ruled: ReplayRuling, against: ReplayRuling | null): ReplayedCall {
  const { at, agent, session, folder = null, tool, input, outcome, subagent } = call;
  const text = JSON.stringify(input);
  const about = { at: at.toISOString(), agent, session, folder, tool, input: cut(text), outcome, subagent };
  return {
    ...ruled,
    reason: cut(ruled.reason),
    ...about,
    against: against && { ...against, reason: cut(against.reason) },
  };
}

function cut(text: string): string {
  return text.length > LONGEST_INPUT ? `${text.slice(0, LONGEST_INPUT)}…` : text;
}

/** A rewrite gives no reason: the new input speaks for itself. */
function rulingOf(answer: Judgement, by: string): ReplayRuling {
  const verdict = wordOf(answer);
  return { verdict, by, reason: verdict === "rewrite" ? `to ${JSON.stringify(answer.updatedInput)}` : answer.reason };
}

function isAlike(one: ReplayRuling, other: ReplayRuling): boolean {
  return one.verdict === other.verdict && (one.verdict !== "rewrite" || one.reason === other.reason);
}

function faultOf({ isAsked, verdict }: Judgement): string | undefined {
  // The adapter could not read it, so no policy was asked.
  return !isAsked && verdict === "deny" ? "an input that the agent's hooks are not told in this form" : undefined;
}

const STRICTNESS: readonly CaseWord[] = ["allow", "rewrite", "ask", "deny"];

function stricter(one: ReplayRuling, other: ReplayRuling): ReplayRuling {
  return STRICTNESS.indexOf(other.verdict) > STRICTNESS.indexOf(one.verdict) ? other : one;
}

/** The quantile of the normal distribution for a 95 % interval. */
const Z = 1.959_963_984_540_054;

/** The upper end of Wilson's 95 % interval for a rate: the highest rate that so few calls cannot rule out. */
export function upperRate(count: number, of: number): number {
  if (of === 0) return 1;
  const rate = count / of;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / of + Z ** 2 / (4 * of ** 2));
  return Math.min(1, (rate + Z ** 2 / (2 * of) + spread) / (1 + Z ** 2 / of));
}
