import { type AnswerLine, idOf, listSegments, parseAnswerLine, readEnd, splitLines } from "./segments.ts";
import { eachCall, type ProjectJournal } from "./select.ts";

/** A call to look for in the journal. */
export interface CallToMatch {
  runtime: string;
  call: string;
  session: string;
  tool: string;
  at: Date;
  until?: Date | undefined;
  /** Whether the tool ran; undefined: nobody knows. */
  ran?: boolean | undefined;
}

/** The hook's answer to a call. */
export interface IndexedAnswer {
  id: string;
  isDenied: boolean;
}

interface Entry extends IndexedAnswer {
  session: string;
  time: number;
  /** When the call that it answers was made, by the agent's record; null: no call has been matched with it yet. */
  takenAt: number | null;
}

/** An agent records a call around the time at which it asks the hook, and may ask about other calls first. */
const EARLIEST_MS = 60_000;
const LATEST_MS = 24 * 60 * 60 * 1000;
/** How far apart two times of the same moment can be on one machine. */
const NEAR_MS = 1_000;

/** Since when a journal has all calls, as its oldest part may have been removed. 0: nothing was removed. */
export function wholeSince(journal: ProjectJournal): number {
  if ((listSegments(journal.home, journal.key)[0]?.number ?? 1) === 1) return 0;
  for (const { time } of eachCall(journal, { phase: "pre-tool" })) return Date.parse(time);
  return 0;
}

/**
 * The hook's answers before calls of some sessions, to compare them with the agents' own records. Each answer belongs
 * to one call.
 */
export class JournalIndex {
  /** By agent and id if the agent sends one, otherwise by agent, session and tool. */
  readonly #entries = new Map<string, Entry[]>();
  readonly #since = new Map<string, number>();
  readonly #sessions: ReadonlySet<string>;

  /** Add every line of the journal before asking about calls. */
  constructor(sessions: ReadonlySet<string>) {
    this.#sessions = sessions;
  }

  add(line: AnswerLine): void {
    if (line.phase !== "pre-tool") return;
    const { runtime, call, session = "", tool, effective } = line;
    // The line is about an event that could not be read.
    if (call === undefined && session === "") this.#since.set(runtime, Date.parse(line.time));
    if (!this.#sessions.has(session)) return;
    const time = Date.parse(line.time);
    const key = call === undefined ? `${runtime} ${session} ${tool}` : `${runtime} ${call}`;
    const entry = { id: idOf(line), isDenied: effective === "deny", session, time, takenAt: null };
    this.#addEntry(key, entry);
  }

  #addEntry(key: string, entry: Entry): void {
    const same = this.#entries.get(key);
    if (same === undefined) this.#entries.set(key, [entry]);
    else same.push(entry);
  }

  /** Since when this agent's calls can be compared with the journal. */
  since(runtime: string): number {
    return this.#since.get(runtime) ?? 0;
  }

  /** Undefined: the hook never saw the call. `copied`: it was found before, in a session that this one continues. */
  take(recorded: CallToMatch): IndexedAnswer | "copied" | undefined {
    const { runtime, call, session, tool, at } = recorded;
    const named = this.#entries.get(`${runtime} ${call}`);
    const entries = named ?? this.#entries.get(`${runtime} ${session} ${tool}`) ?? [];
    const time = at.getTime();
    const fitting = entries.filter((entry) => entry.takenAt === null && entry.session === session && isNear(entry));
    const likely = named === undefined ? fitting.filter(({ isDenied }) => isDenied !== recorded.ran) : fitting;
    const [first, ...others] = likely.length > 0 ? likely : fitting;
    if (first === undefined) return entries.some(({ takenAt }) => takenAt === time) ? "copied" : undefined;
    const nearest = others.reduce(
      (best, entry) => (distance(entry, time) < distance(best, time) ? entry : best),
      first,
    );
    nearest.takenAt = time;
    return nearest;

    /** Calls without an id are told apart by their times, and then by whether they ran. */
    function isNear({ time: index }: Entry): boolean {
      if (named !== undefined) return index >= time - EARLIEST_MS && index <= time + LATEST_MS;
      return index >= time - NEAR_MS && index <= (recorded.until?.getTime() ?? time + LATEST_MS) + NEAR_MS;
    }
  }
}

/** Reads what a journal has about some sessions. */
export function readJournalIndex(journal: ProjectJournal, sessions: ReadonlySet<string>): JournalIndex {
  const index = new JournalIndex(sessions);
  for (const line of eachCall(journal, {})) index.add(line);
  return index;
}

/**
 * The same from about so much of the end of a journal, and since when that has all calls; 0: nothing is missing before.
 */
export function readRecentJournalIndex(
  { home, key }: ProjectJournal,
  sessions: ReadonlySet<string>,
  lastBytes: number,
): { index: JournalIndex; since: number } {
  const index = new JournalIndex(sessions);
  const segments = listSegments(home, key);
  const parts: Buffer[] = [];
  let [left, isWhole] = [lastBytes, (segments[0]?.number ?? 1) === 1];
  for (const { file } of segments.reverse()) {
    const { bytes, isAll } = readEnd(file, left);
    parts.unshift(bytes);
    left -= bytes.length;
    isWhole &&= isAll;
    if (!isAll) break;
  }
  const lines = parts.flatMap((bytes) => splitLines(bytes).flatMap(({ text }) => parseAnswerLine(text) ?? []));
  for (const line of lines) index.add(line);
  return { index, since: isWhole ? 0 : Date.parse(lines[0]?.time ?? "") || Number.POSITIVE_INFINITY };
}

function distance(entry: Entry, time: number): number {
  return Math.abs(entry.time - time);
}
