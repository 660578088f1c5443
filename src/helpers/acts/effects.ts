import { oneOf } from "../pattern/one-of.ts";
import { programCallOf } from "../programs/call.ts";
import { optionsOf } from "../programs/options.ts";
import { shapeOf } from "../programs/rows.ts";
import { callsIn, literalsIn } from "./code.ts";
import { usesOf } from "./code-shows.ts";
import { listedBy } from "./fed.ts";
import { codeOf } from "./interpreters.ts";
import { hereOf, mountsOf } from "./mounts.ts";
import { patchesOf } from "./patches.ts";
import { resolvePlace, wordsMeant } from "./places.ts";
import { readBy, readsAll } from "./reads.ts";
import { copiedBy, inGitFolder, isNarrowFind, removedBy, removesAll, searchedBy } from "./removals.ts";
import { isInRunning, readable, type Step } from "./steps.ts";
import { substitutionsIn } from "./words.ts";

/** Something that a command does to a file or a folder. */
export interface Effect {
  does: "reads" | "removes" | "writes";
  /** As `resolvePlace` gives it. */
  place: string;
  /** As it is written. */
  written: string;
  /** The effect includes everything below it. */
  isDeep: boolean;
  /** The effect is only on what tests select in it: `find -name '*.log' -delete`. */
  isNarrowed: boolean;
  /** The text that is written, if the command contains it. */
  content?: string;
  step: Step | undefined;
}

/**
 * What a command reads, removes and writes, by what its program is known to do with its arguments. For commands in a
 * container: what they read and remove in a container that was running before, and what they do to mounted folders of
 * this machine.
 */
export function effectsOf(step: Step): Effect[] {
  if (step.elsewhere === "container") {
    const { mounts, folder } = mountsOf(step);
    const isRunning = isInRunning(step);
    if (!isRunning && mounts.length === 0) return [];
    return effectsOf({ ...step, elsewhere: undefined, folder }).flatMap((effect) => {
      const here = hereOf(effect.place, mounts);
      if (here !== undefined)
        return here.isReadOnly && effect.does !== "reads" ? [] : [{ ...effect, place: here.place }];
      return isRunning && effect.does !== "writes" ? [effect] : [];
    });
  }
  const effect = (does: Effect["does"], written: string, more: Partial<Effect> = {}): Effect[] =>
    (isPlain(written, step) ? [written] : wordsMeant(written)).map((one) => {
      const place = isPlain(written, step)
        ? resolvePlace(`./${one.replace(/[*?[\]{}]/gu, "_")}`, step.folder)
        : resolvePlace(one, step.folder);
      return { does, place, written: one, isDeep: false, isNarrowed: false, step, ...more };
    });
  const isDeep = removesAll(step);
  const isNarrowed = isNarrowFind(step);
  const searched = searchedBy(step);
  const content = contentOf(step);
  const code = codeOf(step);
  return [
    ...removedBy(step).flatMap((written) => {
      const finders = findersIn(written, step.folder);
      if (finders.length === 0)
        return effect("removes", written, {
          isDeep,
          isNarrowed: isNarrowed && (searched.length === 0 || searched.includes(written)),
        });
      return finders.flatMap((one) =>
        [...new Set([...listedBy(one), ...searchedBy(one)])].flatMap((name) =>
          effect("removes", name, { isDeep: true, isNarrowed: isNarrowFind(one) }),
        ),
      );
    }),
    ...writtenBy(step).flatMap((written) => effect("writes", written, content === "" ? {} : { content })),
    ...readBy(step).flatMap((written) => effect("reads", written, { isDeep: readsAll(step, written) })),
    ...(code === undefined ? [] : effectsOfCode(code, effect)),
    ...patchesOf(step).flatMap(({ file, isDeleted }) => effect(isDeleted ? "removes" : "writes", file)),
  ];
}

/** The commands of a word such as `$(find . -name x)` that list files. */
export function findersIn(word: string, folder: string): Step[] {
  if (!/^["']?(?:\$\(|`)/u.test(word)) return [];
  return substitutionsIn(word)
    .flatMap((inner) => readable(inner, folder))
    .filter(({ program }) => FINDERS.test(program));
}

export const FINDERS = /^(?:g?find|fd|fdfind|ls)$/u;
/** Programs that take a name as it is. Others have patterns of their own. */
const TAKES_NAMES = oneOf("rm unlink shred truncate mv cp ln mkdir rmdir touch tee cat head tail less wc chmod chown");

/** Whether a word in quotes is a name: `'[id]'`, `'*'`, `'~'`. */
function isPlain(written: string, { program, quoted }: Step): boolean {
  return quoted.includes(written) && TAKES_NAMES(program);
}

const CODE_REMOVES = () =>
  /(?:^|[.:>])(?:rmtree|unlink|unlinkSync|rm|rmSync|rmdirSync|removeSync|removedirs|rm_rf|rm_r|rm_f|rmdir|remove_tree|remove_(?:entry(?:_secure)?|dir)|remove|delete|rimraf(?:\.sync)?|emptyDir|emptyDirSync|delete_folder|removeAll|RemoveAll|deleteDir|deleteRecursively|send2trash|trash)!?$/u;
const CODE_DEEP = () =>
  /rmtree|rm(?:Sync)?$|rm_r|remove_tree|removeSync|rimraf|emptyDir|remove_(?:entry|dir)|[rR]emoveAll|deleteDir|deleteRecursively|trash/u;
const RECURSIVE = () => /\brecursive["']?\s*[:=]\s*(?:true|TRUE|T|!0|1)\b/u;
/**
 * `name.endswith(".pyc")`, `p.suffix == ".orig"`. Negated tests don't count: what is kept doesn't say what is removed.
 */
const CODE_PICKS = () => /(?<!(?:\bnot\s+|!)[\w.]*)\.(?:ends_?with\??\s*\(?\s*|suffix\s*===?\s*)["']\.?\w[\w.]*["']/iu;
/** Lists what lies in folders. */
const CODE_WALKS = () =>
  /(?:^|\b|\.)(?:walk|scandir|listdir|r?glob|iterdir|readdir(?:Sync)?|Find\.find|Dir(?:\.\w+)?|DirectoryIterator)$/u;
/** Modules that are themselves a removing function: `require("rimraf").sync("x")`. */
const REMOVING_MODULE = oneOf("rimraf del trash");
const CODE_WRITES = () =>
  /(?:^|[.:>])(?:writeFile|writeFileSync|appendFile|appendFileSync|write_text|write_bytes|file_put_contents|createWriteStream|truncate|truncateSync|copyFile|copyFileSync|copy|copyfile|symlink|symlinkSync|rename|renameSync|move|moveSync|outputFile)$|^(?:Bun\.write|Deno\.(?:write\w+|copyFile|rename))$|^File\.write$|^IO\.write$/u;

function effectsOfCode(
  code: Parameters<typeof callsIn>[0],
  effect: (does: Effect["does"], written: string, more?: Partial<Effect>) => Effect[],
): Effect[] {
  const all = literalsIn(code);
  const found = callsIn(code).flatMap(({ name, literals: own, receiver }) => {
    // `array_map("unlink", glob("x"))`: the name of the called function is a literal, too.
    const called = own.find((one) => /^\w+$/u.test(one) && CODE_REMOVES().test(one));
    const removes =
      CODE_REMOVES().test(name) ||
      called !== undefined ||
      (oneOf("sync .sync")(name) && receiver.some((one) => REMOVING_MODULE(one)));
    const literals = own.length > 0 || !removes ? own.filter((one) => one !== called) : receiver;
    if (removes) {
      const isDeep =
        CODE_DEEP().test(name) || RECURSIVE().test(code.text) || literals.length === 0 || called !== undefined;
      if (literals.length > 0) return literals.flatMap((one) => effect("removes", one, { isDeep }));
      // An argument that cannot be read may be any path in the text, or any path with the tested ending.
      const isPicked = CODE_PICKS().test(code.text);
      return all
        .filter(isPath)
        .flatMap((one) => effect("removes", one, { isDeep, isNarrowed: isPicked && !/^(?:[/~]|\.\.)/u.test(one) }));
    }
    const isOpening = /(?:^|\.)open$/u.test(name) && literals.slice(1).some((mode) => /^[>rbt]*[wax+>]/u.test(mode));
    // `Path("x").write_text("y")`, `p = Path("x"); p.write_text("y")`
    const target = /\.write_(?:text|bytes)$/u.test(name) && receiver.some(isPath) ? receiver : literals;
    return CODE_WRITES().test(name) || isOpening
      ? target
          .slice(0, 2)
          .filter(isPath)
          .flatMap((one) => effect("writes", one))
      : [];
  });
  const read = all.filter(isPath).flatMap((one) => effect("reads", one));
  const isOpening = usesOf({ ...code, text: code.text.replace(/readdir/gu, "") }).opens;
  // A literal with an ending says which files are wanted.
  if (!isOpening || all.some((one) => /\.\w+$/u.test(one))) return [...found, ...read];
  const walked = callsIn(code).flatMap(({ name, receiver, literals }) =>
    CODE_WALKS().test(name) ? ([...literals, ...receiver].find((one) => !/^\**$/u.test(one)) ?? ".") : [],
  );
  return [...found, ...read, ...walked.flatMap((one) => effect("reads", one, { isDeep: true }))];
}

/** Whether a literal in code may be a path: it has no blanks, and a slash, a dot or the like. */
function isPath(text: string): boolean {
  return text.length < 4_096 && /^[~./]|[/\\.]/u.test(text) && !/[\s<>|;(){}]/u.test(text) && !/^https?:/u.test(text);
}

const WRITING_REDIRECTION = /^(?:>|>>|>\||&>|&>>|<>)$/u;
const TO_LAST = oneOf("cp gcp mv gmv install ln link ditto rsync scp");
const TO_ALL = oneOf("tee touch sponge truncate mkdir mkfifo mknod nano pico emacs vim vi nvim ed ex");
/** The paths that a command writes to, as they are written. */
function writtenBy(step: Step): string[] {
  const { program, arguments: given, redirections } = step;
  const targets = redirections
    .filter(
      ({ operator, target }) => WRITING_REDIRECTION.test(operator) || (operator === ">&" && !/^\d|^-$/u.test(target)),
    )
    .map(({ target }) => target);
  if (TO_ALL(program))
    return [...targets, ...optionsOf(given, { letters: oneOf("ed ex")(program) ? "" : "sm" }).operands];
  if (TO_LAST(program)) return [...targets, ...copiedBy(step).to.filter((one) => !isRemote(one))];
  if (program === "dd")
    return [...targets, ...given.flatMap((word) => (word.startsWith("of=") ? [word.slice(3)] : []))];
  if (oneOf("sed gsed perl ruby yq")(program) && isInPlace(given))
    return [...targets, ...optionsOf(given, { letters: "eEfIl" }).operands];
  if (
    oneOf("awk gawk")(program) &&
    given.some((word, at) => /^-i$|^--include$/u.test(word) && given[at + 1] === "inplace")
  )
    return [...targets, ...optionsOf(given, { letters: "ivFf" }).operands.slice(1)];
  if (program === "tar" || program === "unzip") return [...targets, ...unpackedInto(step)];
  if (program === "git") return [...targets, ...writtenByGit(given)];
  if (program === "patch") {
    const { operands, values } = optionsOf(given, { letters: "piod", names: ["directory"] });
    return [...targets, ...operands.slice(0, 1), ...values("d", "directory")];
  }
  return [...targets, ...programCallOf(step).written];
}

/** The paths of `git checkout REV -- path` and `git restore path`. */
function writtenByGit(given: readonly string[]): string[] {
  const verb = given.findIndex((word) => word === "checkout" || word === "restore");
  const mark = given.indexOf("--");
  const stash = given.indexOf("stash");
  if (stash >= 0 && given[stash + 1] === "push")
    return optionsOf(given.slice(stash + 2), shapeOf("git stash")).operands;
  const clone = given.indexOf("clone");
  if (clone >= 0) {
    const [from = "", to = nameOfClone(from)] = optionsOf(given.slice(clone + 1), shapeOf("git clone")).operands;
    return from === "" ? [] : [inGitFolder(given.slice(0, clone), to)];
  }
  if (given.includes("apply")) return optionsOf(given, { names: ["directory"] }).values("directory");
  if (verb < 0) return [];
  const named =
    mark > verb
      ? given.slice(mark + 1)
      : given[verb] === "restore"
        ? optionsOf(given.slice(verb + 1), shapeOf("git restore")).operands
        : [];
  return named.map((word) => inGitFolder(given.slice(0, verb), word));
}

/** The folder that git makes for a repository if nobody names one. */
export function nameOfClone(address: string): string {
  return /([^/:]+?)(?:\.git)?\/*$/u.exec(address)?.[1] ?? address;
}

/** Where tar or unzip puts files: where they are told, else where they run. */
function unpackedInto({ program, arguments: given }: Step): string[] {
  const isTar = program === "tar";
  const { values } = optionsOf(given, { letters: isTar ? "fC" : "dPx", names: ["file", "directory"] });
  const named = isTar ? values("C", "directory") : values("d");
  const unpacks = isTar
    ? /^-?[A-Za-z]*x/u.test(given[0] ?? "") || given.some((word) => /^-\w*x|^--(?:extract|get)$/u.test(word))
    : !given.some((word) => /^-\w*[ltvpZz]/u.test(word));
  return named.length > 0 || !unpacks ? named : ["."];
}

/** Whether a stream editor changes its files: `-i`, `-i.bak`, `-ni`, `-pi`. */
function isInPlace(given: readonly string[]): boolean {
  return given.some((word) => /^-[a-zA-Z]*i|^--in-place/u.test(word) && !/^-[a-zA-Z]*[ef]./u.test(word));
}

/** Whether an argument of scp, rsync or a cloud's copy command is on another machine. */
export function isRemote(word: string): boolean {
  return (
    /^(?:[\w.-]+@[\w.-]+|[\w.-]{2,}):(?!\\)|^[a-z][a-z0-9+]*:\/\/|^\[[\da-f:]+\]:/iu.test(word) &&
    !word.startsWith("file://")
  );
}

/** What a command writes into its file: a here-document, or `echo`'s words. */
function contentOf({ program, arguments: given, redirections, feeders }: Step): string {
  const own = redirections.map(({ body, operator, target }) => body ?? (operator === "<<<" ? target : ""));
  const printed = [
    { program, given },
    ...feeders.slice(0, 1).map((one) => ({ program: one.program, given: one.arguments })),
  ]
    .filter((one) => oneOf("echo printf sed perl")(one.program) && !(one.program === program && isInPlace(given)))
    .map((one) => one.given.join(" "));
  return [...own, ...printed, ...feeders.slice(0, 1).flatMap((one) => one.redirections.map(({ body }) => body ?? ""))]
    .filter((text) => text !== "")
    .join("\n");
}
