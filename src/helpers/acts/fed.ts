import { oneOf } from "../pattern/one-of.ts";
import { optionsOf } from "../programs/options.ts";
import type { Step } from "../shell/commands.ts";

/** The texts that a variable holds, one in each round of a loop. */
export interface Loop {
  name: string;
  values: readonly string[];
}

/** Programs that let only a part of a list through. */
const FILTERS = oneOf("grep egrep rg awk sed head tail fzf comm uniq shuf");
const SHELLS = oneOf("sh bash dash zsh ksh mksh ash");
const FEEDING = oneOf("find fd fdfind xargs parallel");
const PRINTERS = oneOf("echo printf");
/** The tests of find that narrow a search. Tests for folders or types aren't here, since they leave nothing out. */
export const FIND_TESTS = () =>
  /^-(?:i?name|i?path|i?wholename|i?regex|[acm]?(?:min|time)|newer\w*|size|empty|user|group|perm|links|inum|nouser|nogroup|samefile|used|i?lname|uid|gid)$/u;
const PICKS = oneOf("-name -iname -path -ipath -wholename -iwholename");

/**
 * The arguments of a command together with those that find or xargs adds: `{}` becomes what find looks for, in the
 * folders it searches.
 */
export function fedArguments(given: readonly string[], feeders: readonly Step[], direct: Step | undefined): string[] {
  const starter = feederOf(direct);
  const mark = markOf(starter);
  // What a shell's text gets is only where the text says so; what others start has been fed with them.
  let isText = false;
  for (let one = direct; one !== starter && one !== undefined; one = one.starter) isText ||= SHELLS(one.program);
  if (isText && !given.some((word) => word.includes(mark))) return [...given];
  if (starter?.program === "find") return replace(given, foundBy(starter));
  if (starter?.program === "fd" || starter?.program === "fdfind") {
    const found = foundByFd(starter.arguments);
    return given.some((word) => word.includes("{}")) ? replace(given, found) : [...given, ...found];
  }
  if (starter?.program !== "xargs" && starter?.program !== "parallel") return [...given];
  const input = starter.redirections.flatMap(
    ({ operator, target, body }) => body ?? (operator === "<<<" ? target : []),
  );
  const isFiltered = feeders.some(({ program }) => FILTERS(program));
  const words = [
    ...feeders.flatMap((feeder) => (feeder.program === "git" && isFiltered ? [] : printedBy(feeder))),
    ...input.flatMap((text) => text.split(/\s+/u)).filter((word) => word !== ""),
  ];
  if (given.some((word) => word.includes(mark))) return replace(given, words, mark);
  return [...given, ...words];
}

/** find or xargs, if what it starts starts the command: `sh -c`, `sudo`, `busybox`. */
function feederOf(starter: Step | undefined): Step | undefined {
  let one = starter;
  while (one !== undefined && !FEEDING(one.program)) one = one.starter;
  return one ?? starter;
}

/** The text in place of which xargs puts what it reads. */
function markOf(starter: Step | undefined): string {
  if (starter?.program !== "xargs") return "{}";
  for (let at = 0; starter.arguments[at]?.startsWith("-"); at++) {
    const word = starter.arguments[at] ?? "";
    const [, joined] = /^(?:-I|--replace=)(.*)$/su.exec(word) ?? [];
    if (joined !== undefined) return joined || starter.arguments[at + 1] || "{}";
    if (oneOf("-a -d -E -L -n -P -s")(word)) at++;
  }
  return "{}";
}

function replace(given: readonly string[], words: readonly string[], mark = "{}"): string[] {
  return given.flatMap((word) =>
    word.includes(mark) && words.length > 0 ? words.map((one) => word.replaceAll(mark, one)) : [word],
  );
}

/** `find src -name '*.o'` finds `src/*.o` at any depth; without a name it finds all of `src`. */
export function foundBy({ program, arguments: given }: Pick<Step, "program" | "arguments">): string[] {
  const roots = program === "find" ? rootsOf(given) : ["."];
  const tests = unpruned(given);
  const picked = tests.filter(
    (word, at) =>
      PICKS(tests[at - 1] ?? "") &&
      tests[at - 2] !== "!" &&
      tests[at - 2] !== "-not" &&
      tests[at + 1] !== "-prune" &&
      !/^\**(?:\.\*)?$/u.test(word),
  );
  return picked.length === 0
    ? roots
    : roots.flatMap((root) =>
        picked.map((name) => (name.startsWith(root) || /^\.?\//u.test(name) ? name : `${root}/${name}`)),
      );
}

/** What find tests after `-name x -prune -o`, which only leaves something out. */
export function unpruned(given: readonly string[]): readonly string[] {
  return given.slice(given.findLastIndex((word, at) => oneOf("-o -or")(word) && given[at - 1] === "-prune") + 1);
}

/** The folders that find searches. */
export function rootsOf(given: readonly string[]): string[] {
  const first = given.findIndex((word) => /^(?:-(?![HLPDO])|[(!])/u.test(word));
  const named = (first < 0 ? given : given.slice(0, first)).filter((word) => !/^-[HLPDO]/u.test(word));
  return named.length > 0 ? named : ["."];
}

const FD_VALUED = {
  letters: "dteESojcx",
  names: ["max-depth", "min-depth", "exact-depth", "type", "extension", "exclude", "size", "owner", "threads", "color"],
};

/** `fd -e o . src` finds `src/*.o` at any depth; without a pattern it finds the whole folder. */
function foundByFd(given: readonly string[]): string[] {
  const end = given.findIndex((word) => oneOf("-x -X --exec --exec-batch")(word));
  const { operands, values } = optionsOf(end < 0 ? given : given.slice(0, end), FD_VALUED);
  const [pattern = ".", ...folders] = operands;
  const roots = folders.length > 0 ? folders : ["."];
  const kinds = values("e", "extension").map((kind) => `*.${kind}`);
  const picked = /^(?:\.\*?|\^?\.?\*?\$?|)$/u.test(pattern) ? kinds : [plainPattern(pattern)];
  return picked.length === 0 ? roots : roots.flatMap((root) => picked.map((name) => `${root}/${name}`));
}

/** Turns a pattern into a name with stars: `^\.env` becomes `.env*`. */
function plainPattern(pattern: string): string {
  const open = pattern.replaceAll("\\.", ".").replaceAll(".*", "*");
  return `${open.startsWith("^") ? open.slice(1) : `*${open}`}${open.endsWith("$") ? "" : "*"}`.replace(
    /\$|\*(?=\*)/gu,
    "",
  );
}

/** The files that git lists: all that it tracks, or that have changed, unless options select some. */
function printedByGit({ arguments: given, folder }: Step): string[] {
  const verb = given.find((word) => oneOf("ls-files diff ls-tree")(word));
  const isListing = verb === "diff" ? given.includes("--name-only") : verb !== undefined;
  if (!isListing || given.some((word) => /^--(?:diff-filter|deleted|unmerged)|^-[a-z]*[du]/u.test(word))) return [];
  const paths = verb === "ls-files" ? given.slice(given.indexOf(verb) + 1).filter((word) => !word.startsWith("-")) : [];
  return paths.length > 0 ? paths : [`${folder}/*`];
}

/**
 * The lines that `read` puts into a variable, one after the other. Lists of the current folder's own content are left
 * out, since nobody knows which items a loop will pick.
 */
export function linesRead({ arguments: given, feeders, redirections, folder }: Step): Loop {
  const handed = redirections.flatMap(({ operator, target, body }) => body ?? (operator === "<<<" ? [target] : []));
  const lines = handed.flatMap((text) => text.split("\n"));
  const printed = feeders.flatMap((feeder) =>
    (feeders.some(({ program }) => FILTERS(program)) ? printedBy : eachListed)(feeder).filter(
      (line) => PRINTERS(feeder.program) || isElsewhere(line, folder),
    ),
  );
  return { name: given.at(-1) ?? "", values: [...printed, ...lines].filter((line) => line !== "") };
}

function isElsewhere(line: string, folder: string): boolean {
  return /^[/~]/u.test(line) && line !== folder && !line.startsWith(`${folder}/`);
}

/** The same, with a star for all that lies in a folder: what goes through the list file by file does the same to each of them. */
function eachListed(step: Step): string[] {
  const isAll = step.program === "find" && !step.arguments.some((word) => FIND_TESTS().test(word));
  return printedBy(step).map((name) => (isAll ? `${name}/*` : name));
}

/** The files and folders that `find`, `fd` or `ls` lists. */
export function listedBy({ program, arguments: given, folder }: Step): string[] {
  if (program.startsWith("fd")) return foundByFd(given);
  if (program !== "ls") return foundBy({ program: "find", arguments: given });
  const named = given.filter((word) => !word.startsWith("-"));
  return named.length > 0 ? named : [`${folder}/*`];
}

function printedBy(step: Step): string[] {
  const { program, arguments: given } = step;
  if (program === "git") return printedByGit(step);
  if (PRINTERS(program)) {
    const words = given.flatMap((word) => word.split(/\s+|\\n|\\0/u));
    return words.filter((word) => word !== "" && !word.startsWith("-") && !word.startsWith("%"));
  }
  return program === "find" || program === "ls" ? listedBy(step) : [];
}
