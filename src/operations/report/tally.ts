import { idOf, type JournalLine } from "../../journal/line.ts";
import { CallCount, hasFailed, type JournalFigures } from "../../journal/stats.ts";
import { callKind } from "./call-kind.ts";
import { emptySpan, joinSpans, MINUTE, type Span, type Spans } from "./spans.ts";

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

export interface TallyResult {
  figures: JournalFigures;
  spans: Spans;
  refused: RefusedGroup[];
  /** Groups that are not listed. */
  moreGroups: number;
  shadow: ShadowGuard[];
}

/** The length of a time as the hook process writes it: `2026-11-23T08:22:00.000Z`. */
const LENGTH_OF_TIME = 24;
const TO_THE_MINUTE = 16;
const MOST_GROUPS = 60;
/** The most kinds that are counted separately, since each reason may be different. */
const MOST_KINDS = 2_000;
/** A limit, so that the page stays small whatever the journal contains. */
const MOST_CALLS_OF_A_GROUP = 15;
const LONGEST_INPUT = 300;

/** Gathers, call by call, what a report says about the journal. */
export class Tally {
  readonly #count = new CallCount();
  readonly #since: number;
  /** The minute of the last line; the next line usually has the same one. */
  #last = { text: "none", minute: Number.NaN };
  readonly #minutes = new Map<number, Span>();
  readonly #groups = new Map<string, RefusedGroup>();
  readonly #shadow = new Map<string, ShadowGuard>();

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
    for (const { policy, mode, decision } of line.policies) {
      if (mode === "shadow") this.#addShadow(policy, decision, line.time);
    }
  }

  result(): TallyResult {
    const groups = [...this.#groups.values()].sort((one, other) => sizeOf(other) - sizeOf(one));
    return {
      figures: this.#count.figures(),
      spans: joinSpans([...this.#minutes].sort(([one], [other]) => one - other)),
      refused: groups.slice(0, MOST_GROUPS),
      moreGroups: Math.max(0, groups.length - MOST_GROUPS),
      shadow: [...this.#shadow.values()].sort((one, other) => (one.policy < other.policy ? -1 : 1)),
    };
  }

  #minuteOf(time: string): number {
    const isOwn = time.length === LENGTH_OF_TIME && time.endsWith("Z");
    if (isOwn && time.startsWith(this.#last.text)) return this.#last.minute;
    const minute = Math.floor(Date.parse(time) / MINUTE);
    if (isOwn && !Number.isNaN(minute)) this.#last = { text: time.slice(0, TO_THE_MINUTE), minute };
    return minute;
  }

  #isWanted(time: string, minute: number): boolean {
    const begins = minute * MINUTE;
    return begins >= this.#since || (begins + MINUTE > this.#since && Date.parse(time) >= this.#since);
  }

  /** Counts by the minute, since the length of the spans depends on the first and the last minute. */
  #addToSpan(line: JournalLine, minute: number): void {
    const span = entryOf(this.#minutes, minute, () => emptySpan(minute));
    if (hasFailed(line)) span.failed++;
    if (line.verdict === "deny") span.denied++;
    else if (line.verdict === "ask") span.asked++;
    else span.allowed++;
  }

  #addRefused(line: JournalLine): void {
    const guard = line.by ?? "drwn itself";
    const own = JSON.stringify([guard, callKind(line)]);
    const isRoom = this.#groups.size < MOST_KINDS || this.#groups.has(own);
    const kind = isRoom ? callKind(line) : "other kinds";
    const name = isRoom ? own : JSON.stringify([guard, kind]);
    const group = entryOf(this.#groups, name, () => ({ guard, kind, denied: 0, asked: 0, calls: [] }));
    if (line.verdict === "deny") group.denied++;
    else group.asked++;
    group.calls.unshift(describe(line));
    if (group.calls.length > MOST_CALLS_OF_A_GROUP) group.calls.pop();
  }

  #addShadow(policy: string, decision: string | undefined, at: string): void {
    const empty = () => ({ policy, calls: 0, denied: 0, asked: 0, first: at, last: at });
    const guard = entryOf(this.#shadow, policy, empty);
    guard.calls++;
    guard.last = at;
    if (decision === "deny") guard.denied++;
    if (decision === "ask") guard.asked++;
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function sizeOf({ denied, asked }: RefusedGroup): number {
  return denied + asked;
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
