import { oneOf, oneOfAnyCase } from "../pattern/one-of.ts";
import { optionsOf } from "../programs/options.ts";
import { isRunner } from "../shell/runners.ts";
import { copiedBy, isNarrowFind } from "./removals.ts";
import type { Step } from "./steps.ts";

/**
 * Programs that look at names, permissions and sizes, or only use a file themselves: they don't show or pass on its
 * contents.
 */
const NAMERS = oneOf(
  "ls ll la dir exa eza tree stat test [ rm unlink shred trash rmdir chmod chown chgrp touch mkdir echo printf basename dirname realpath readlink ssh-keygen ssh-add ssh-copy-id which type export cd pushd du df file wc md5sum shasum cksum md5 source . find fd kill set alias complete chattr lsattr xattr getfacl setfacl truncate tee return exit read unset local declare man umask git-crypt direnv icacls attrib",
);
/** Programs whose arguments are files, also those without a slash or a dot. For any other one, a plain word is a verb or a name. */
const VIEWERS = oneOf(
  "cat tac nl less more most bat batcat head tail view vim vi nvim nano emacs ed ex xxd od hexdump hd strings base64 base32 grep egrep fgrep zgrep rg ag ack awk gawk mawk sed gsed perl sort uniq cut paste join fold tr rev jq yq diff cmp comm tar zip gzip 7z glow code open pygmentize highlight column",
);
/** Options that give a program a key or settings to work with. */
const LOADING = oneOfAnyCase(
  "identity identity-file identityfile private-key key keyfile key-file signkey signkeyfile signkey-file cakey cakeyfile cakey-file inkey inkeyfile inkey-file cert cert-file certificate certificate-file cacert ca-file client-key client-certificate kubeconfig env-file envfile secret-file var-file vault-password-file credentials credentials-file service-account service-account-file config netrc-file ssh-key exclude exclude-from ignore glob include name path iname out out-file out-document output output-file output-document keyout o",
);
/** Programs whose `-i` and `-o` don't take a file. */
const IGNORING_CASE = oneOf("grep egrep rg ag ack sed uniq cat less");
const FEEDERS = oneOf("find gfind fd fdfind xargs parallel");
/** The subcommands of git that show a file's contents. */
const SHOWING_GIT = oneOf("show diff cat-file blame annotate grep archive stash log hash-object");
const SHELLS = oneOf("sh bash dash zsh ksh fish csh tcsh");
const STARTERS = oneOf("xargs parallel exec eval watch ssh su trap docker podman");

/**
 * The paths that a command reads, as they are written. A program that gets a file counts as reading it, unless it is
 * known not to.
 */
export function readBy(step: Step): string[] {
  const { program, arguments: given, redirections } = step;
  const input = redirections
    .filter(({ operator }) => operator === "<" || operator === "<>")
    .map(({ target }) => target);
  // These show the lines of a script as they run.
  const shows = SHELLS(program) ? given.findIndex((word) => /^-(?!\w*[cn])[a-z]*[vx]/u.test(word)) : -1;
  if (shows >= 0) return [...input, ...optionsOf(given, { letters: "oO" }).operands.slice(0, 1)];
  if (program === "" || isNamer(program) || STARTERS(program) || SHELLS(program)) return input;
  // The command that it runs is read separately; its own options only load files.
  if (isRunner(program, given)) return input;
  const isGrep = program === "git" && subcommandOf(given) === "grep";
  if (program === "git")
    return SHOWING_GIT(subcommandOf(given)) && !isListingOnly(given)
      ? [
          ...input,
          ...afterColons(
            isGrep
              ? withoutScript({ ...step, program: "grep", arguments: given.slice(given.indexOf("grep") + 1) })
              : given,
          ),
          ...(readsAll(step, ".") ? ["."] : []),
        ]
      : input;
  if (oneOf("grep egrep fgrep rg ag ack")(program) && isQuiet(given)) return input;
  if (oneOf("sed gsed perl")(program) && given.some((word) => /^-[a-zA-Z]*i|^--in-place/u.test(word))) return input;
  const words = withoutScript(step);
  if (program === "tar" || program === "bsdtar") return [...input, ...packedBy(given)];
  const isBare = isSearching(step) && words.every((word) => word.startsWith("-"));
  if (isBare && step.feeders.length === 0) return [...input, ".", ...namesSearchedBy(step)];
  if (oneOf("cp gcp mv gmv ln install rsync scp ditto")(program)) return [...input, ...copiedBy(step).from];
  // What zip leaves out.
  const left = program === "zip" ? words.findIndex((word) => oneOf("-x --exclude")(word)) : -1;
  const named = (left < 0 ? words : words.slice(0, left)).filter(
    (word) => !/^-[\w-]*$/u.test(word) && (VIEWERS(program) || !/^[a-z][a-zA-Z-]*$/u.test(word)),
  );
  return [...input, ...named.flatMap(fileWordsIn), ...namesSearchedBy(step)];
}

const SEARCHERS = oneOf("grep egrep fgrep zgrep ugrep rg ag ack");
/** Options by which a search takes only files of some names. */
const SELECTING = () => /\s(?:-[a-zA-Z]*[gtG]|--(?:include|i?glob|type|file-search-regex)[=\s])(?!\s*\*+\s)/u;
/** What leaves a `.env` out, in the words of a command or of what feeds it. */
const EXCLUDING = () => /(?:exclude|ignore|\s-x|!\S*|(?:!|-not) -\w+|\s-v(?: -e)?)[=\s]?\S*\.(?:env|\*|\[)/u;

/** Whether a search goes through folders, and through hidden and ignored files in them. */
function isSearching({ program, arguments: given }: Step): boolean {
  if (!SEARCHERS(program)) return false;
  const letters = given.filter((word) => /^-[a-zA-Z.]+$/u.test(word)).join("");
  const has = (pattern: RegExp) => given.some((word) => pattern.test(word));
  const isHidden = letters.includes(".") || has(/^--hidden$/u);
  const isAll = /u/u.test(letters) || has(/^--(?:no-ignore(?:-vcs)?|unrestricted|skip-vcs-ignores)$/u);
  if (program === "rg") return /u.*u/u.test(letters) || (isHidden && isAll);
  if (program === "ag") return isAll || (isHidden && /[aU]/u.test(letters));
  return (
    program === "ack" || /[rR]/u.test(letters) || has(/^--(?:dereference-)?recursive$|^(?:-d|--directories=)?recurse$/u)
  );
}

/** Whether a command reads all files of a folder that it names or is fed with, whatever their names. */
export function readsAll(step: Step, written: string): boolean {
  const { program, arguments: given, starter, feeders } = step;
  const words = [step, ...(starter === undefined ? [] : [starter]), ...feeders].map(
    (one) => ` ${one.arguments.join(" ")}`,
  );
  if (words.some((text) => [".env", ".*", ".["].some((end) => text.includes(end)) && EXCLUDING().test(text)))
    return false;
  // What git tracks is for everybody, and so is what it doesn't ignore.
  const lists = feeders.filter((one) => one.program === "git").map((one) => one.arguments);
  const isAll = (words: readonly string[]) => words.some((word) => /^(?:-\w*[oi]\w*|--others|--ignored)$/u.test(word));
  if (lists.some((words) => !isAll(words) || words.includes("--exclude-standard"))) return false;
  if (/[*?[]/u.test(written)) return /(?:^|\/)\*{1,2}$/u.test(written) && VIEWERS(program);
  if (SEARCHERS(program) && SELECTING().test(`${words[0]} `)) return false;
  if (program === "git")
    return (
      subcommandOf(given) === "grep" &&
      (given.includes("--no-index") ? !given.includes("--exclude-standard") : given.includes("--no-exclude-standard"))
    );
  if (FEEDERS(starter?.program ?? "") && VIEWERS(program)) return !isNarrowFind(step);
  if (SEARCHERS(program)) return isSearching(step);
  if (program === "diff") return optionsOf(given).has("r", "recursive");
  if (program === "zip" || program.startsWith("7z")) return program === "zip" || given[0] === "a";
  return (
    oneOf("tar bsdtar")(program) &&
    given.some(
      (word, at) =>
        /^(?:-[a-zA-Z]*[cru]|--(?:create|append|update)$)/u.test(word) || (at === 0 && /^[a-zA-Z]*[cru]/u.test(word)),
    )
  );
}

/** `grep --include=.env`, `rg -g .env`: the names of the files that they search. */
function namesSearchedBy({ program, arguments: given }: Step): string[] {
  if (!oneOf("grep egrep fgrep rg")(program)) return [];
  const { values } = optionsOf(given, { letters: "eABCmfgt", names: ["include", "glob"] });
  return values("include", "glob", "g").filter((word) => !word.startsWith("!"));
}

/** What tar packs: `-C` names the folder of the paths behind it; the archive that it opens. */
function packedBy(given: readonly string[]): string[] {
  const isPlain = /^[a-zA-Z]+$/u.test(given[0] ?? "");
  const words = isPlain ? [`-${given[0]}`, ...given.slice(1)] : given;
  const read: string[] = [];
  let folder = "";
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [, joined] = /^(?:-C|--directory=)(.+)$/u.exec(word) ?? [];
    if (word === "-C" || word === "--directory") folder = words[++at] ?? "";
    else if (joined !== undefined) folder = joined;
    else if (/^-[a-zA-Z]*[fTXI]$|^--(?:file|exclude|transform|exclude-from|use-compress-program)$/u.test(word)) {
      if (!/^-\w*c/u.test(words[0] ?? "") && word.endsWith("f")) read.push(words[at + 1] ?? "");
      at++;
    } else if (!word.startsWith("-")) read.push(folder === "" || /^[/~$]/u.test(word) ? word : `${folder}/${word}`);
  }
  return read.filter((word) => word !== "" && word !== "-");
}

const SCRIPTED = oneOf("grep egrep fgrep zgrep rg ag ack sed gsed awk gawk mawk nawk jq yq perl");

/** The arguments without the options that load files, and without the pattern or script before the files. */
function withoutScript(step: Step): string[] {
  const { program, arguments: given } = step;
  const words = given.map((word, at) => ({ word, at })).filter(({ at }) => !isLoadedAt(step, at));
  if (!SCRIPTED(program)) return words.map(({ word }) => word);
  const isScript = (at: number) => /^(?:-[a-zA-Z]*e|--(?:regexp|expression))$/u.test(given[at - 1] ?? "");
  if (given.some((word) => /^-[a-zA-Z]*[ef]$|^--(?:regexp|file|expression)/u.test(word)))
    return words.filter(({ at }) => !isScript(at)).map(({ word }) => word);
  const script = words.find(({ word }) => !word.startsWith("-"));
  return words.filter((one) => one !== script).map(({ word }) => word);
}

function subcommandOf(given: readonly string[]): string {
  return given.find((word, at) => !word.startsWith("-") && !oneOf("-c -C")(given[at - 1] ?? "")) ?? "";
}

function isListingOnly(given: readonly string[]): boolean {
  const subcommand = subcommandOf(given);
  if (subcommand === "stash") return !given.includes("show");
  if (subcommand === "log") return !given.some((word) => /^(?:-p|--patch|-u|-S|-G|-L)/u.test(word));
  return given.some((word) => /^--(?:stat|name-only|name-status|shortstat|numstat|quiet|summary|check)/u.test(word));
}

/** Whether a search shows only names of files or a count. */
export function isQuiet(given: readonly string[]): boolean {
  return given.some((word) =>
    /^-[a-zA-Z]*[lLqc](?![A-Z])[a-zA-Z]*$|^--(?:files-with(?:out)?-match(?:es)?|quiet|silent|count|files)$/u.test(word),
  );
}

/** Whether an argument is a key or settings that the program only works with, or names what it makes. */
export function isLoadedAt({ program, arguments: given }: Step, at: number): boolean {
  const here = given[at] ?? "";
  const before = given[at - 1] ?? "";
  const isLoading = (word: string) => loads(word) && !(oneOf("-i -o")(word) && IGNORING_CASE(program));
  if (here.startsWith("-") && here.includes("=")) return isLoading(here);
  return isLoading(before) && !before.includes("=");
}

function afterColons(given: readonly string[]): string[] {
  return given.flatMap((word) => [word, ...(/^[^:/]+:(.+)$/u.exec(word)?.slice(1) ?? [])]);
}

/** Every part of an argument that could be a path: `of=/a/b`, `@/a/b`, `name=@file;type=x`. */
export function fileWordsIn(argument: string): string[] {
  if (argument.length > 10_000) return [];
  if (!/[=@<;:]/.test(argument)) return [argument];
  const inside = /^(?:[\w.[\]-]*=|--?[\w-]+=)?[@<]?(?:fileb?:\/\/)?([^;]+)/u.exec(argument)?.[1];
  return inside === undefined || inside === argument ? [argument] : [argument, inside];
}

export function isNamer(program: string): boolean {
  return NAMERS(program) || (program.startsWith("sha") && /^sha\d+sum$/u.test(program));
}

/** `-i`, and the other options with one dash or two. */
function loads(word: string): boolean {
  if (!word.startsWith("-")) return false;
  const isLong = word.startsWith("--");
  const [name = ""] = word.slice(isLong ? 2 : 1).split("=");
  return LOADING(name) || (!isLong && name.toLowerCase() === "i");
}
