import { oneOf, oneOfAnyCase } from "../shell/one-of.ts";
import { isRunner } from "../shell/runners.ts";
import { optionsOf } from "./options.ts";
import type { Step } from "./steps.ts";

/** Programs that look at names, rights and sizes, or only take a file in: nothing of its contents is shown or handed on. */
const NAMERS = oneOf(
  "ls ll la dir exa eza tree stat test [ rm unlink shred trash rmdir chmod chown chgrp touch mkdir echo printf basename dirname realpath readlink ssh-keygen ssh-add ssh-copy-id which type export cd pushd du df file wc md5sum shasum cksum md5 source . find fd kill set alias complete chattr lsattr xattr getfacl setfacl truncate tee return exit read unset local declare man umask git-crypt direnv icacls attrib",
);
/** Programs of many verbs: a word of theirs without a slash or a dot is a verb or a name. */
const VERBAL = oneOf(
  "gh glab kubectl oc helm gcloud az aws vault heroku fly flyctl doctl wrangler vercel netlify supabase firebase op bw npm pnpm yarn terraform tofu pulumi drwn",
);
/** Options that give a program a key or settings to work with. */
const LOADING = oneOfAnyCase(
  "identity identity-file identityfile private-key key keyfile key-file signkey signkeyfile signkey-file cakey cakeyfile cakey-file inkey inkeyfile inkey-file cert cert-file certificate certificate-file cacert ca-file client-key client-certificate kubeconfig env-file envfile var-file vault-password-file credentials credentials-file service-account service-account-file config netrc-file ssh-key exclude exclude-from ignore glob include name path iname out out-file out-document output output-file output-document keyout o",
);
/** Programs for which `-i` and `-o` take no file. */
const IGNORING_CASE = /^(?:e?grep|rg|ag|ack|sed|uniq|cat|less)$/u;
/** The subcommands of git that show what is in a file. */
const SHOWING_GIT = /^(?:show|diff|cat-file|blame|annotate|grep|archive|stash|log|hash-object)$/u;
const SHELLS = /^(?:ba|da|z|k|fi|c|tc)?sh$/u;
const STARTERS = oneOf(
  "sudo doas env xargs nohup time timeout nice command exec builtin eval watch stdbuf ssh mosh su trap docker podman kubectl npx parallel",
);

/** What a command reads, as it is written. Whatever program takes a file is taken to read it, but for those that are known not to. */
export function readBy(step: Step): string[] {
  const { program, arguments: given, redirections } = step;
  const input = redirections
    .filter(({ operator }) => operator === "<" || operator === "<>")
    .map(({ target }) => target);
  if (program === "" || isNamer(program) || STARTERS(program) || SHELLS.test(program)) return input;
  // What it runs is looked at by itself; its own options only load.
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

/** The words but for options that load, and for the pattern or script before the files. */
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

/** Whatever in an argument could be a path: `of=/a/b`, `@/a/b`, `name=@file;type=x`. */
function pathsIn(argument: string): string[] {
  if (argument.length > 10_000) return [];
  const inside = /^(?:[\w.[\]-]*=|--?[\w-]+=)?[@<]?(?:file:\/\/)?([^;]+)/u.exec(argument)?.[1];
  return inside === undefined || inside === argument ? [argument] : [argument, inside];
}

function isNamer(program: string): boolean {
  return NAMERS(program) || /^sha\d+sum$/u.test(program);
}

/** `-i`, and the others behind one dash or two. */
function loads(word: string): boolean {
  const [, dashes, name = ""] = /^(--?)([^=]*)/u.exec(word) ?? [];
  return dashes !== undefined && (LOADING(name) || (dashes === "-" && /^i$/iu.test(name)));
}
