import { type ReadCommand, type Scan, scanWithin } from "./scan.ts";
import { type Possible, settle } from "./values.ts";

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
  /** The variables before the group that ended last. */
  before: ReadonlyMap<string, string>;
  /** The function whose body comes next. */
  defines: Body | undefined;
  /** The command comes after a `&&` or `||`, so it may not run. */
  isMaybe: boolean;
  /** What such commands assign in this list. */
  possible: Possible;
}

/**
 * `( … )`, `{ …; }`, `if … fi`, a loop or a `case`: all commands in it read the same input and write into the same
 * pipe.
 */
interface Group {
  from: number;
  fedBy: readonly ReadCommand[];
  defines: Body | undefined;
  /** The variables before it. */
  before: ReadonlyMap<string, string>;
  /** What it assigns ends with it: a subshell, a part of a pipe, or the body of a function. */
  isApart: boolean;
  /** What it assigns, if it is a branch or a loop, which may not run. */
  possible: Possible | undefined;
  /** Where the body of a loop begins in the text. */
  body?: number;
}

interface Body {
  name: string;
  /** Where it begins in the text. */
  at: number;
}

export const NOBODY: readonly ReadCommand[] = [];
/** A pipe after a longer group reads only the group's last commands. */
const LONGEST_GROUP = 40;
/** Nested loops are read twice at each level. */
const MOST_ROUNDS = 64;

export function openGroup({ variables }: Scan, level: Level, sign: string): void {
  const { groups, command, done, defines } = level;
  const isPiped = command.fedBy.length > 0;
  groups.push({
    from: done.length,
    fedBy: isPiped ? command.fedBy : fedInto(groups),
    defines,
    before: new Map(variables),
    isApart: sign === "(" || isPiped || defines !== undefined,
    possible: sign === "(" || sign === "{" ? undefined : new Map(),
  });
  level.defines = undefined;
}

export function closeGroup(scan: Scan, level: Level): void {
  const group = level.groups.pop();
  if (group === undefined) return;
  if (group.defines !== undefined) {
    scan.functions.set(group.defines.name, scan.text.slice(group.defines.at, scan.at));
    const inside = level.done.slice(group.from).filter(({ words }) => words.length === 0);
    const assigned = inside.flatMap(({ assignments }) => assignments);
    scan.assigned.set(
      group.defines.name,
      assigned.map(({ name, value }) => [name, value]),
    );
  }
  const { loops } = scan;
  if (group.possible !== undefined) {
    const names = [...group.possible.keys()];
    settle(scan, group.possible);
    if (group.body !== undefined) readNextRound(scan, scan.text.slice(group.body, scan.at - "done".length), names);
  }
  if (group.isApart) {
    replaceAll(scan.variables, group.before);
    scan.loops = loops;
  }
  level.before = group.before;
  level.previous = level.done.slice(Math.max(group.from, level.done.length - LONGEST_GROUP)).reverse();
  level.isAfterGroup = true;
}

/** A loop whose body uses a variable before it sets it: the next round finds what this one set. */
function readNextRound(scan: Scan, body: string, names: readonly string[]): void {
  const isCarried = names.some((name) => {
    const used = body.search(new RegExp(`\\$\\{?${name}\\b`, "u"));
    return used >= 0 && used < body.search(new RegExp(`(?<![\\w$])${name}\\+?=`, "u"));
  });
  if (isCarried && ++scan.calls.made <= MOST_ROUNDS) scan.readScript(scanWithin(scan, body), "");
}

/** A group before a `|` or a `&` runs in a shell of its own, which keeps what it assigns. */
export function endApart({ variables }: Scan, { isAfterGroup, before }: Level): void {
  if (isAfterGroup) replaceAll(variables, before);
}

function replaceAll(variables: Map<string, string>, by: ReadonlyMap<string, string>): void {
  variables.clear();
  for (const [name, value] of by) variables.set(name, value);
}

export function fedInto(groups: readonly Group[]): readonly ReadCommand[] {
  return groups.at(-1)?.fedBy ?? NOBODY;
}

/** `while read x; do …; done <<< text`: the input of a group is what its `read` reads. */
export function handIn(group: readonly ReadCommand[], redirections: ReadCommand["redirections"]): void {
  const input = redirections.filter(({ operator }) => operator.startsWith("<"));
  for (const { words, redirections: own } of group) if (words[0] === "read") own.push(...input);
}
