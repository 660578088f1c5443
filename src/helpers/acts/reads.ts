import { optionsOf } from "../programs/options.ts";
import { oneOf, oneOfAnyCase } from "../shell/one-of.ts";
import { isRunner } from "../shell/runners.ts";
import type { Step } from "./steps.ts";

/**
 * Programs that look at names, permissions and sizes, or only use a file themselves: they don't show or pass on its
 * contents.
 */
const NAMERS = oneOf(
  "ls ll la dir exa eza tree stat test [ rm unlink shred trash rmdir chmod chown chgrp touch mkdir echo printf basename dirname realpath readlink ssh-keygen ssh-add ssh-copy-id which type export cd pushd du df file wc md5sum shasum cksum md5 source . find fd kill set alias complete chattr lsattr xattr getfacl setfacl truncate tee return exit read unset local declare man umask git-crypt direnv icacls attrib",
);
/** Programs with many verbs: an argument without a slash or a dot is a verb or a name, not a file. */
const VERBAL = oneOf(
  "gh glab kubectl oc helm gcloud az aws vault heroku fly flyctl doctl wrangler vercel netlify supabase firebase op bw npm pnpm yarn terraform tofu pulumi drwn",
);
/** Options that give a program a key or settings to work with. */
const LOADING = oneOfAnyCase(
  "identity identity-file identityfile private-key key keyfile key-file signkey signkeyfile signkey-file cakey cakeyfile cakey-file inkey inkeyfile inkey-file cert cert-file certificate certificate-file cacert ca-file client-key client-certificate kubeconfig env-file envfile var-file vault-password-file credentials credentials-file service-account service-account-file config netrc-file ssh-key exclude exclude-from ignore glob include name path iname out out-file out-document output output-file output-document keyout o",
);
/** Programs whose `-i` and `-o` don't take a file. */
const IGNORING_CASE = /^(?:e?grep|rg|ag|ack|sed|uniq|cat|less)$/u;
/** The subcommands of git that show a file's contents. */
const SHOWING_GIT = /^(?:show|diff|cat-file|blame|annotate|grep|archive|stash|log|hash-object)$/u;
const SHELLS = /^(?:ba|da|z|k|fi|c|tc)?sh$/u;
const STARTERS = oneOf(
  "sudo doas env xargs nohup time timeout nice command exec builtin eval watch stdbuf ssh mosh su trap docker podman kubectl npx parallel",
);

/**
 * The paths that a command reads, as they are written. A program that gets a file counts as reading it, unless it is
 * known not to.
 */
export function readBy(step: Step): string[] {
  const { program, arguments: given, redirections } = step;
  const input = redirections
    .filter(({ operator }) => operator === "<" || operator === "<>")
    .map(({ target }) => target);
  if (program === "" || isNamer(program) || STARTERS(program) || SHELLS.test(program)) return input;
  // The command that it runs is read separately; its own options only load files.
  if (isRunner(program, given)) return input;
  if (program === "git")
    return SHOWING_GIT.test(subcommandOf(given)) && !isListingOnly(given) ? [...input, ...afterColons(given)] : input;
  if (/^(?:e?grep|fgrep|rg|ag|ack)$/u.test(program) && isQuiet(given)) return input;
  if (/^(?:sed|gsed|perl)$/u.test(program) && given.some((word) => /^-[a-zA-Z]*i|^--in-place/u.test(word)))
    return input;
  const words = withoutScript(step);
  if (/^(?:cp|gcp|mv|gmv|ln|install|rsync|scp|ditto)$/u.test(program)) {
    const { operands } = optionsOf(words, { letters: "tmogSeP" });
    return [...input, ...operands.slice(0, operands.length > 1 ? -1 : 1)];
  }
  const named = VERBAL(program) ? words.filter((word) => /[./]/u.test(word)) : words;
  return [...input, ...named.flatMap(pathsIn)];
}

const SCRIPTED = /^(?:[efz]?grep|rg|ag|ack|g?sed|[gmn]?awk|jq|yq|perl)$/u;

/** The arguments without the options that load files, and without the pattern or script before the files. */
function withoutScript(step: Step): string[] {
  const { program, arguments: given } = step;
  const words = given.map((word, at) => ({ word, at })).filter(({ at }) => !isLoaded(step, at));
  if (!SCRIPTED.test(program) || given.some((word) => /^-[a-zA-Z]*[ef]$|^--(?:regexp|file|expression)/u.test(word)))
    return words.map(({ word }) => word);
  const script = words.find(({ word }) => !word.startsWith("-"));
  return words.filter((one) => one !== script).map(({ word }) => word);
}

function subcommandOf(given: readonly string[]): string {
  return given.find((word, at) => !word.startsWith("-") && !/^-[cC]$/u.test(given[at - 1] ?? "")) ?? "";
}

function isListingOnly(given: readonly string[]): boolean {
  const subcommand = subcommandOf(given);
  if (subcommand === "stash") return !given.includes("show");
  if (subcommand === "log") return !given.some((word) => /^(?:-p|--patch|-u|-S|-G|-L)/u.test(word));
  return given.some((word) => /^--(?:stat|name-only|name-status|shortstat|numstat|quiet|summary|check)/u.test(word));
}

function isQuiet(given: readonly string[]): boolean {
  return given.some((word) =>
    /^-[a-zA-Z]*[lLqc](?![A-Z])[a-zA-Z]*$|^--(?:files-with(?:out)?-match(?:es)?|quiet|count|files)$/u.test(word),
  );
}

function isLoaded({ program, arguments: given }: Step, at: number): boolean {
  const here = given[at] ?? "";
  const before = given[at - 1] ?? "";
  const isLoading = (word: string) => loads(word) && !(/^-[io]$/u.test(word) && IGNORING_CASE.test(program));
  if (/^-/u.test(here) && here.includes("=")) return isLoading(here);
  return isLoading(before) && !before.includes("=");
}

function afterColons(given: readonly string[]): string[] {
  return given.flatMap((word) => [word, ...(/^[^:/]+:(.+)$/u.exec(word)?.slice(1) ?? [])]);
}

/** Every part of an argument that could be a path: `of=/a/b`, `@/a/b`, `name=@file;type=x`. */
function pathsIn(argument: string): string[] {
  if (argument.length > 10_000) return [];
  const inside = /^(?:[\w.[\]-]*=|--?[\w-]+=)?[@<]?(?:file:\/\/)?([^;]+)/u.exec(argument)?.[1];
  return inside === undefined || inside === argument ? [argument] : [argument, inside];
}

function isNamer(program: string): boolean {
  return NAMERS(program) || /^sha\d+sum$/u.test(program);
}

/** `-i`, and the other options with one dash or two. */
function loads(word: string): boolean {
  const [, dashes, name = ""] = /^(--?)([^=]*)/u.exec(word) ?? [];
  return dashes !== undefined && (LOADING(name) || (dashes === "-" && /^i$/iu.test(name)));
}
