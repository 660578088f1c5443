import type { ReadCommand, Scan } from "./scan.ts";

/** The state of reading a list of commands. */
export interface Level {
  command: ReadCommand;
  /** The words of `for x in a b`, which don't start a program. */
  header: string[] | undefined;
  parentheses: number;
  cases: number;
  /** The commands so far, in order. */
  done: ReadCommand[];
  /** The open groups. */
  groups: Group[];
  /** What a pipe would read now: the last command, or all commands of the last group. */
  previous: readonly ReadCommand[];
  isAfterGroup: boolean;
  /** The function whose body comes next. */
  defines: Body | undefined;
}

/**
 * `( … )`, `{ …; }`, `if … fi`, a loop or a `case`: all commands in it read the same input and write into the same
 * pipe.
 */
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
/** A pipe after a longer group reads only the group's last commands. */
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
