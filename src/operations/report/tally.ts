import { idOf, type JournalLine } from "../../journal/line.ts";
import { CallCount, hasFailed, type JournalFigures } from "../../journal/stats.ts";
import { kindOfCall } from "./kind-of-call.ts";

/** A call that was not simply let through. */
export interface ReportedCall {
  id: string;
  at: string;
  agent: string;
  tool: string;
  /** The beginning of its input; null: the journal keeps none. */
  input: string | null;
  verdict: string;
  reason: string;
}

/** Calls of one kind that one guard denied or asked about. */
export interface RefusedGroup {
  guard: string;
  kind: string;
  denied: number;
  asked: number;
  /** The last ones. */
  calls: ReportedCall[];
}

/** What a guard in shadow mode said, without effect. */
export interface ShadowGuard {
  policy: string;
  calls: number;
  denied: number;
  asked: number;
  first: string;
  last: string;
}

/** The calls of one time span. */
export interface Span {
  from: string;
  allowed: number;
  asked: number;
  denied: number;
  failed: number;
}

export interface Tallied {
  figures: JournalFigures;
  spans: { minutes: number; counts: Span[] };
  refused: RefusedGroup[];
  /** Groups that are not listed. */
  moreGroups: number;
  shadow: ShadowGuard[];
  overruled: { count: number; calls: ReportedCall[] };
}

const MINUTE = 60_000;
/** The length of a time as the hook process writes it: `2026-11-23T08:22:00.000Z`. */
const LENGTH_OF_TIME = 24;
const TO_THE_MINUTE = 16;
/** How long a span may be, in minutes. */
const LENGTHS = [1, 5, 15, 60, 3 * 60, 6 * 60, 12 * 60, 24 * 60, 7 * 24 * 60, 28 * 24 * 60] as const;
const LONGEST = 364 * 24 * 60;
const MOST_SPANS = 60;
const MOST_GROUPS = 60;
/** How many kinds are told apart: the reason may differ each time. */
const MOST_KINDS = 2_000;
/** A limit, so that the page stays small whatever the journal contains. */
const MOST_CALLS_OF_A_GROUP = 15;
const MOST_OVERRULED = 50;
const LONGEST_INPUT = 300;

/** What a report says about the journal, gathered call by call. */
export class Tally {
  readonly #count = new CallCount();
  readonly #since: number;
  /** The minute of the last line, which is usually the next one's, too. */
  #last = { text: "", minute: Number.NaN };
  readonly #minutes = new Map<number, Span>();
  readonly #groups = new Map<string, RefusedGroup>();
  readonly #shadow = new Map<string, ShadowGuard>();
  readonly #overruled: Tallied["overruled"] = { count: 0, calls: [] };

  /** Leaves out calls made before `since`. */
  constructor(since = new Date(0)) {
    this.#since = since.getTime();
  }

  add(line: JournalLine): void {
    const minute = this.#minuteOf(line.time);
    if (!this.#isWanted(line.time, minute)) return;
    this.#count.add(line);
    this.#addToSpan(line, minute);
    if (line.verdict === "deny" || line.verdict === "ask") this.#addRefused(line);
    if (line.overruled !== undefined) {
      this.#overruled.count++;
      keepLast(this.#overruled.calls, describe(line), MOST_OVERRULED);
    }
    for (const { policy, mode, decision } of line.policies) {
      if (mode === "shadow") this.#addShadow(policy, decision, line.time);
    }
  }

  result(): Tallied {
    const groups = [...this.#groups.values()].sort((one, other) => sizeOf(other) - sizeOf(one));
    return {
      figures: this.#count.figures(),
      spans: joinSpans([...this.#minutes].sort(([one], [other]) => one - other)),
      refused: groups.slice(0, MOST_GROUPS),
      moreGroups: Math.max(0, groups.length - MOST_GROUPS),
      shadow: [...this.#shadow.values()].sort((one, other) => (one.policy < other.policy ? -1 : 1)),
      overruled: this.#overruled,
    };
  }

  #minuteOf(time: string): number {
    const text = time.slice(0, TO_THE_MINUTE);
    const isOwn = time.length === LENGTH_OF_TIME && time.endsWith("Z");
    if (isOwn && text === this.#last.text) return this.#last.minute;
    const minute = Math.floor(Date.parse(time) / MINUTE);
    if (isOwn && !Number.isNaN(minute)) this.#last = { text, minute };
    return minute;
  }

  #isWanted(time: string, minute: number): boolean {
    const begins = minute * MINUTE;
    return begins >= this.#since || (begins + MINUTE > this.#since && Date.parse(time) >= this.#since);
  }

  /** Counts by minutes: how long the spans are depends on the first and the last one. */
  #addToSpan(line: JournalLine, minute: number): void {
    const span = this.#minutes.get(minute) ?? emptySpan(minute);
    this.#minutes.set(minute, span);
    if (hasFailed(line)) span.failed++;
    if (line.verdict === "deny") span.denied++;
    else if (line.verdict === "ask") span.asked++;
    else span.allowed++;
  }

  #addRefused(line: JournalLine): void {
    const guard = line.by ?? "drwn itself";
    const own = JSON.stringify([guard, kindOfCall(line)]);
    const isRoom = this.#groups.size < MOST_KINDS || this.#groups.has(own);
    const kind = isRoom ? kindOfCall(line) : "other kinds";
    const name = isRoom ? own : JSON.stringify([guard, kind]);
    const group = this.#groups.get(name) ?? { guard, kind, denied: 0, asked: 0, calls: [] };
    this.#groups.set(name, group);
    if (line.verdict === "deny") group.denied++;
    else group.asked++;
    keepLast(group.calls, describe(line), MOST_CALLS_OF_A_GROUP);
  }

  #addShadow(policy: string, decision: string | undefined, at: string): void {
    const guard = this.#shadow.get(policy) ?? { policy, calls: 0, denied: 0, asked: 0, first: at, last: at };
    this.#shadow.set(policy, guard);
    guard.calls++;
    guard.last = at;
    if (decision === "deny") guard.denied++;
    if (decision === "ask") guard.asked++;
  }
}

function sizeOf({ denied, asked }: RefusedGroup): number {
  return denied + asked;
}

function keepLast(calls: ReportedCall[], call: ReportedCall, most: number): void {
  calls.unshift(call);
  if (calls.length > most) calls.pop();
}

function describe(line: JournalLine): ReportedCall {
  const { time, runtime, tool, phase, input, verdict, reason, problem } = line;
  const cut = input !== undefined && input.length > LONGEST_INPUT ? `${input.slice(0, LONGEST_INPUT)}…` : input;
  return {
    id: idOf(line),
    at: time,
    agent: runtime,
    tool: tool ?? phase,
    input: cut ?? null,
    verdict,
    reason: reason ?? problem ?? "",
  };
}

function emptySpan(minute: number): Span {
  return { from: new Date(minute * MINUTE).toISOString(), allowed: 0, asked: 0, denied: 0, failed: 0 };
}

/** At most as many spans as a chart shows well, including those without a call. */
function joinSpans(minutes: readonly (readonly [number, Span])[]): Tallied["spans"] {
  const [first, last] = [minutes[0]?.[0] ?? 0, minutes.at(-1)?.[0] ?? 0];
  const length = LENGTHS.find((one) => (last - first) / one < MOST_SPANS - 1) ?? LONGEST;
  if (minutes.length === 0) return { minutes: length, counts: [] };
  const begin = Math.floor(first / length);
  const most = Math.min(MOST_SPANS, Math.floor(last / length) - begin + 1);
  const counts = Array.from({ length: most }, (_, at) => emptySpan((begin + at) * length));
  for (const [minute, { allowed, asked, denied, failed }] of minutes) {
    // A clock that was wrong by years must not stretch the chart.
    const span = counts[Math.min(most - 1, Math.floor(minute / length) - begin)];
    if (span === undefined) continue;
    span.allowed += allowed;
    span.asked += asked;
    span.denied += denied;
    span.failed += failed;
  }
  return { minutes: length, counts };
}
