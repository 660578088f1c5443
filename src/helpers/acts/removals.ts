import { oneOf, oneOfAnyCase } from "../pattern/one-of.ts";
import { optionsOf } from "../programs/options.ts";
import { shapeOf } from "../programs/rows.ts";
import { FIND_TESTS, foundBy, rootsOf, unpruned } from "./fed.ts";
import type { Step } from "./steps.ts";

const REMOVERS = oneOfAnyCase(
  "rm grm unlink shred gshred srm wipe scrub rimraf del-cli trash trash-put rmtrash gvfs-trash rmdir deltree truncate gtruncate",
);
const REMOVERS_OF_ALL = oneOfAnyCase(
  "find rsync rclone tar mv zip rimraf del-cli deltree trash trash-put rmtrash gio robocopy",
);
const FIND_DEEP = oneOf("-delete -exec -execdir -ok -okdir");

/** The paths that a command removes, as they are written; `{}` and the input of xargs have been filled in. */
export function removedBy(step: Step): string[] {
  const { program, arguments: given } = step;
  if (REMOVERS(program)) return removedByRemover(step);
  if (program === "find" || program === "gfind")
    return given.includes("-delete") ? union(foundBy(step), rootsOf(given)) : [];
  if (program === "rsync") return removedByRsync(given);
  if (program === "rclone") return removedByRclone(given);
  if (program === "git") return removedByGit(given);
  if (program === "gio" && given[0] === "trash") return optionsOf(given.slice(1)).operands;
  if (program.toLowerCase() === "robocopy")
    return given.some((word) => oneOfAnyCase("/mir /purge")(word)) ? given.slice(1, 2) : [];
  if (program === "tar" && given.includes("--remove-files"))
    return optionsOf(given, { letters: "fCTX" }).operands.filter((word) => !/^[a-z]+$/u.test(word));
  if (program === "zip" && optionsOf(given).has("m", "move")) return optionsOf(given).operands.slice(1);
  if (program.startsWith("7z") && given.includes("-sdel"))
    return given.filter((word) => !word.startsWith("-")).slice(2);
  if (oneOf("mv gmv")(program)) return copiedBy(step).from;
  return [];
}

/** What a command copies, moves or links, and where to. */
export function copiedBy({ program, arguments: given }: Step): { from: string[]; to: string[] } {
  const shape = oneOf("rsync scp")(program)
    ? shapeOf(program)
    : { letters: "tmogS", names: ["target-directory", "mode", "owner", "group"] };
  const { operands, values } = optionsOf(given, shape);
  const folder = oneOf("rsync scp")(program) ? [] : values("t", "target-directory");
  if (folder.length > 0 || operands.length < 2) return { from: operands, to: folder };
  return { from: operands.slice(0, -1), to: operands.slice(-1) };
}

/**
 * `git rm` except with `--cached`. It refuses files that aren't committed, so only `-f` and `-r` lose much. For
 * `git clean`, the paths that it searches; without a path it stays in its own folder.
 */
function removedByGit(given: readonly string[]): string[] {
  const at = given.findIndex((word) => word === "rm" || word === "clean");
  if (
    at < 0 ||
    given.slice(0, at).some((word, place) => !word.startsWith("-") && !oneOf("-c -C")(given[place - 1] ?? ""))
  )
    return [];
  const { has, operands } = optionsOf(given.slice(at + 1), shapeOf(`git ${given[at]}`));
  if (has("cached", "n", "dry-run") || (given[at] === "clean" && !has("f", "force"))) return [];
  return operands.map((word) => inGitFolder(given.slice(0, at), word));
}

/** `git -C folder rm file`. */
export function inGitFolder(options: readonly string[], word: string): string {
  const folder = options[options.lastIndexOf("-C") + 1];
  return options.includes("-C") && folder !== undefined && !/^[/~$]/u.test(word) ? `${folder}/${word}` : word;
}

/** The removed places that are on this machine: rclone's other places begin with the name of a remote. */
function removedByRclone([verb = "", ...given]: readonly string[]): string[] {
  const { operands, has } = optionsOf(given);
  if (has("n", "dry-run")) return [];
  const removed = oneOf("purge delete deletefile rmdirs move moveto")(verb)
    ? operands.slice(0, 1)
    : verb === "sync"
      ? operands.slice(1, 2)
      : [];
  return removed.filter((word) => !/^[\w-]*:/u.test(word));
}

function removedByRemover(step: Step): string[] {
  const { program, arguments: given } = step;
  const { operands } = optionsOf(given, {
    letters: /truncate/u.test(program) ? "sr" : /shred/u.test(program) ? "ns" : "",
    names: ["size", "reference", "iterations"],
  });
  const named = operands.filter(
    (word) => word !== "" && word !== "{}" && word !== "%" && !(program === "deltree" && /^\/\w$/u.test(word)),
  );
  const find = findBehind(step);
  if (find !== undefined && named.length > 0) return union(named, rootsOf(find.arguments));
  return program === "rmdir" && !optionsOf(given).has("p") ? [] : named;
}

/** The find whose results a command gets. */
function findBehind({ starter, feeders }: Step): Step | undefined {
  if (starter?.program === "find") return starter;
  return starter?.program === "xargs" ? feeders.find(({ program }) => program === "find") : undefined;
}

function union(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])];
}

/** Whether a test of find or a filter in the pipe selected what is removed; then the folders themselves stay. */
export function isNarrowFind(step: Step): boolean {
  // Negated tests don't count: what is kept doesn't say what is removed.
  const picks = ({ program, arguments: given }: Step) =>
    oneOf("awk sed head tail fzf comm uniq")(program) ||
    (oneOf("grep egrep rg")(program) && !given.some((word) => /^-[a-zA-Z]*v|^--invert-match$/u.test(word)));
  if (step.starter?.program === "xargs" && step.feeders.some(picks)) return true;
  const find = step.program === "find" ? step : findBehind(step);
  if (find === undefined) return false;
  const given = unpruned(find.arguments);
  return given.some(
    (word, at) =>
      FIND_TESTS().test(word) &&
      !/^\**(?:\.\*)?$/u.test(given[at + 1] ?? "") &&
      !/^(?:!|-not)$/u.test(given[at - 1] ?? ""),
  );
}

/** The folders that find searches; a narrow search removes only a part of them. */
export function searchedBy(step: Step): string[] {
  const find = step.program === "find" ? step : findBehind(step);
  return find === undefined ? [] : rootsOf(find.arguments);
}

/** Whether a folder is removed together with everything below it. */
export function removesAll({ program, arguments: given, starter }: Step): boolean {
  if (REMOVERS_OF_ALL(program) || program.startsWith("7z")) return true;
  if (oneOf("find fd fdfind xargs parallel")(starter?.program ?? "")) return true;
  if (program === "git" && given.includes("clean")) return true;
  return optionsOf(given).has("r", "R", "recursive") || given.some((word) => FIND_DEEP(word));
}

function removedByRsync(given: readonly string[]): string[] {
  const { has, operands } = optionsOf(given, shapeOf("rsync"));
  if (has("n", "dry-run")) return [];
  const isDeleting = given.some((word) => /^--del(?:ete(?!d)[\w-]*)?$/u.test(word));
  return [...(isDeleting ? operands.slice(-1) : []), ...(has("remove-source-files") ? operands.slice(0, -1) : [])];
}
