import { commandsOf } from "../../helpers/shell/unwrap.ts";
import { idOf, type JournalLine } from "../../journal/segments.ts";
import { CallCount, hasFailed, type JournalFigures } from "../../journal/stats.ts";

/** A call that was not simply let through. */
interface ReportedCall {
  id: string;
  at: string;
  agent: string;
  tool: string;
  /** The beginning of its input; null: the journal keeps none. */
  input: string | null;
  verdict: string;
  reason: string;
  /** A person can let it through with `drwn allow`. */
  isAllowable: boolean;
}

/** A call that a guard denied and a person let through. */
interface AllowedCall extends ReportedCall {
  /** The guards whose denial the person overruled. */
  past: string[];
}

/** Calls of one kind that one guard denied or asked about. */
interface RefusedGroup {
  guard: string;
  kind: string;
  denied: number;
  asked: number;
  /** The last ones. */
  calls: ReportedCall[];
}

/** What a guard in shadow mode said, without effect. */
interface ShadowGuard {
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
  /** The last calls that a person let through. */
  allowed: { count: number; calls: AllowedCall[] };
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
  readonly #allowed: TallyResult["allowed"] = { count: 0, calls: [] };
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
    const past = line.policies.flatMap(({ policy, exception }) => (exception === undefined ? [] : [policy]));
    if (past.length > 0 && line.verdict === "allow") this.#addAllowed({ ...describe(line), past });
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
      allowed: this.#allowed,
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

  #addAllowed(call: AllowedCall): void {
    this.#allowed.count++;
    this.#allowed.calls.unshift(call);
    if (this.#allowed.calls.length > MOST_CALLS_OF_A_GROUP) this.#allowed.calls.pop();
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
  const { time, runtime, tool, phase, input, verdict, reason, problem, rule, named, isWhole } = line;
  const cut = input !== undefined && input.length > LONGEST_INPUT ? `${input.slice(0, LONGEST_INPUT)}…` : input;
  return {
    id: idOf(line),
    at: time,
    agent: runtime,
    tool: tool ?? phase,
    input: cut ?? null,
    verdict,
    reason: reason ?? problem ?? "",
    isAllowable: rule === "deny" && named !== undefined && isWhole === true,
  };
}

/** The calls of one stretch of time. */
interface Span {
  from: string;
  allowed: number;
  asked: number;
  denied: number;
  failed: number;
}

interface Spans {
  /** The length of each. */
  minutes: number;
  counts: Span[];
}

const MINUTE = 60_000;
/** How long a stretch may be, in minutes. */
const LENGTHS = [1, 5, 15, 60, 3 * 60, 6 * 60, 12 * 60, 24 * 60, 7 * 24 * 60, 28 * 24 * 60] as const;
const LONGEST = 364 * 24 * 60;
const MOST_SPANS = 60;

function emptySpan(minute: number): Span {
  return { from: new Date(minute * MINUTE).toISOString(), allowed: 0, asked: 0, denied: 0, failed: 0 };
}

/** As many stretches as a chart shows well, including those without calls. */
function joinSpans(minutes: readonly (readonly [number, Span])[]): Spans {
  const [first, last] = [minutes[0]?.[0] ?? 0, minutes.at(-1)?.[0] ?? 0];
  const length = LENGTHS.find((one) => (last - first) / one < MOST_SPANS - 1) ?? LONGEST;
  if (minutes.length === 0) return { minutes: length, counts: [] };
  const begin = Math.floor(first / length);
  const most = Math.min(MOST_SPANS, Math.floor(last / length) - begin + 1);
  const counts = Array.from({ length: most }, (_, at) => emptySpan((begin + at) * length));
  for (const [minute, { allowed, asked, denied, failed }] of minutes) {
    // A clock that was wrong by years must not stretch the chart over them.
    const span = counts[Math.min(most - 1, Math.floor(minute / length) - begin)];
    if (span === undefined) continue;
    span.allowed += allowed;
    span.asked += asked;
    span.denied += denied;
    span.failed += failed;
  }
  return { minutes: length, counts };
}

const LONGEST_REASON = 80;
const MOST_COMMANDS = 3;

/** What calls are grouped by: their programs if the journal keeps inputs, else the reason for the verdict. */
function callKind({ tool, phase, input, reason, problem }: JournalLine): string {
  const name = tool ?? phase;
  const command = input === undefined ? undefined : commandIn(input);
  if (command !== undefined) return `${name}: ${command}`;
  const why = reason ?? problem ?? "";
  if (why === "") return name;
  return `${name}: ${why.length > LONGEST_REASON ? `${why.slice(0, LONGEST_REASON)}…` : why}`;
}

/** `git push` of `git -C x push origin`; undefined: it runs no commands, or they cannot be read. */
function commandIn(input: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed !== "object" || parsed === null || !("command" in parsed)) return undefined;
    const { command } = parsed;
    if (typeof command !== "string") return undefined;
    const kinds = new Set(commandsOf(command).map(({ program, arguments: words }) => nameOf(program, words)));
    return kinds.size === 0 ? undefined : [...kinds].slice(0, MOST_COMMANDS).join(", ");
  } catch {
    // A kept input may be cut off, and drwn may not be able to read the command's language.
    return undefined;
  }
}

/** If the first word is neither an option nor a path, it is the program's subcommand. */
function nameOf(program: string, [first = ""]: readonly string[]): string {
  return /^[a-z][a-z-]{1,20}$/u.test(first) ? `${program} ${first}` : program;
}
