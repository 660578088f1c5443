import { cardOf, type JournalLine, listSegments, parseLine, readSegment, splitLines } from "./segments.ts";
import { isAsWritten } from "./verify.ts";

/** Which calls are wanted; every condition must hold. */
export interface CallFilter {
  card?: string | undefined;
  /** Matches the name of the tool. */
  tool?: RegExp | undefined;
  /** `pre-tool`, `post-tool` or a lifecycle event. */
  phase?: string | undefined;
  /** The verdict of the policies, or what the agent did because of it. */
  verdict?: string | undefined;
  since?: Date | undefined;
  /** Only calls in which a policy failed, or drwn itself could not judge. */
  isFailed?: boolean | undefined;
}

/** The journal of one project, below `$DRWN_HOME`. */
export interface ProjectJournal {
  home: string;
  key: string;
}

export function isWanted(line: JournalLine, { card, tool, phase, verdict, since, isFailed }: CallFilter): boolean {
  return (
    (card === undefined || line.policies.some(({ policy }) => cardOf(policy) === card)) &&
    (tool === undefined || (line.tool !== null && tool.test(line.tool))) &&
    (phase === undefined || line.phase === phase) &&
    (verdict === undefined || line.verdict === verdict || line.effective === verdict) &&
    (since === undefined || Date.parse(line.time) >= since.getTime()) &&
    (isFailed !== true || line.problem !== undefined || line.policies.some(({ failure }) => failure !== undefined))
  );
}

/** The last wanted calls, oldest first. The order is the journal's, since a clock may have been changed. */
export function selectCalls({ home, key }: ProjectJournal, filter: CallFilter, limit: number): JournalLine[] {
  const found: JournalLine[] = [];
  for (const { file } of listSegments(home, key).reverse()) {
    for (const { text } of splitLines(readSegment(file)).reverse()) {
      if (found.length >= limit) return found.reverse();
      const line = parseLine(text);
      if (line !== undefined && isWanted(line, filter)) found.push(line);
    }
  }
  return found.reverse();
}

/** Every wanted call, oldest first, with one file of the journal in memory at a time. */
export function* eachCall({ home, key }: ProjectJournal, filter: CallFilter): Generator<JournalLine> {
  for (const { file } of listSegments(home, key)) {
    for (const { text } of splitLines(readSegment(file))) {
      const line = parseLine(text);
      if (line !== undefined && isWanted(line, filter)) yield line;
    }
  }
}

/**
 * Whether the line with this hash is as the hook process wrote it. An edited line could get a different call let
 * through.
 */
export function isCallAsWritten({ home, key }: ProjectJournal, hash: string): boolean {
  const texts = listSegments(home, key).flatMap(({ file }) => splitLines(readSegment(file)).map(({ text }) => text));
  const named = texts.filter((text) => text.includes(`"hash":"${hash}"`));
  return named.length === 1 && named.every((text) => isAsWritten(text, hash));
}

/** Calls whose hash begins with these digits. */
export function findCalls({ home, key }: ProjectJournal, id: string): JournalLine[] {
  return listSegments(home, key).flatMap(({ file }) =>
    splitLines(readSegment(file)).flatMap(({ text }) => {
      if (!text.includes(`"hash":"${id}`)) return [];
      return parseLine(text) ?? [];
    }),
  );
}
