import type { ReadCommand, Scan } from "./scan.ts";

/** Where a list of commands stands. */
export interface Level {
  command: ReadCommand;
  /** The words of `for x in a b`, which start no program. */
  header: string[] | undefined;
  parentheses: number;
  cases: number;
  /** What it has so far, in order. */
  done: ReadCommand[];
  /** The groups that are open. */
  groups: Group[];
  /** What a pipe that comes now would read: the last command, or all of the last group. */
  previous: readonly ReadCommand[];
  isAfterGroup: boolean;
  /** The function whose body comes next. */
  defines: Body | undefined;
}

/** `( … )`, `{ …; }`, `if … fi`, a loop or a `case`: whatever stands in one reads the same input, and writes into the same pipe. */
interface Group {
  from: number;
  fedBy: readonly ReadCommand[];
  defines: Body | undefined;
}

interface Body {
  name: string;
  /** Where it begins in the text. */
  at: number;
}

export const NOBODY: readonly ReadCommand[] = [];
/** A pipe behind a longer group reads the last of its commands. */
const LONGEST_GROUP = 40;

export function openGroup(level: Level): void {
  const { groups, command, done, defines } = level;
  groups.push({ from: done.length, fedBy: command.fedBy.length > 0 ? command.fedBy : fedInto(groups), defines });
  level.defines = undefined;
}

export function closeGroup(scan: Scan, level: Level): void {
  const group = level.groups.pop();
  if (group === undefined) return;
  if (group.defines !== undefined) scan.functions.set(group.defines.name, scan.text.slice(group.defines.at, scan.at));
  level.previous = level.done.slice(Math.max(group.from, level.done.length - LONGEST_GROUP)).reverse();
  level.isAfterGroup = true;
}

export function fedInto(groups: readonly Group[]): readonly ReadCommand[] {
  return groups.at(-1)?.fedBy ?? NOBODY;
}

/** `while read x; do …; done <<< text`: the input of a group is what its `read` reads. */
export function handIn(group: readonly ReadCommand[], redirections: ReadCommand["redirections"]): void {
  const input = redirections.filter(({ operator }) => operator.startsWith("<"));
  for (const { words, redirections: own } of group) if (words[0] === "read") own.push(...input);
}
