import fs from "node:fs";
import path from "node:path";
import { PROBLEM_CODES } from "../../src/kernel/problem.ts";
import { type Page, readPage } from "./markdown.ts";
import { splitWords } from "./shell-words.ts";
import { repository } from "./world.ts";

interface ManifestCommand {
  id: string;
  aliases: string[];
  flags: Record<string, { allowNo?: boolean }>;
}

/** What looks like a problem code and is none: a variable, and the code under which `--json` reports a bug. */
const NO_CODES = ["DRWN_HOME", "DRWN_DEBUG", "DRWN_BUG", "DRWN_TEST_NODE", "DRWN_HOOK_NODE", "DRWN_SWEEP_SEED"];
/** oclif's own. */
const GLOBAL_FLAGS = ["--help", "--version"];
const FILLERS = /—|\b(?:simply|just|easy|easily)\b/iu;

/** Everything that a page says and that is not so. */
export function findFalseClaims(file: string, page: Page): string[] {
  return [
    ...page.links.flatMap(({ line, target }) =>
      problemOfLink(file, page, target).map((what) => `line ${line}: ${what}`),
    ),
    ...page.codes.flatMap(({ line, text }) => problemsOfCode(text).map((what) => `line ${line}: ${what}`)),
    ...page.prose.flatMap(({ line, text }) => {
      if (text.includes("`")) return [`line ${line}: a backtick has no partner on its line`];
      const filler = FILLERS.exec(text)?.[0];
      return filler === undefined ? [] : [`line ${line}: plain words do without \`${filler}\``];
    }),
  ];
}

function problemOfLink(file: string, page: Page, target: string): string[] {
  if (/^https?:/u.test(target)) return [];
  const [relative = "", anchor] = target.split("#", 2);
  const linked = relative === "" ? file : path.join(path.dirname(file), relative);
  if (relative !== "" && !fs.existsSync(linked)) return [`the link ${target} leads nowhere`];
  if (anchor === undefined) return [];
  const anchors = relative === "" ? page.anchors : anchorsIn(linked);
  return anchors.has(anchor) ? [] : [`the link ${target} names a heading that is not there`];
}

function problemsOfCode(code: string): string[] {
  const codes = [...code.matchAll(/\bDRWN_[A-Z_]+\b/gu)].map(([name]) => name);
  const unknown = codes.filter((name) => !(name in PROBLEM_CODES) && !NO_CODES.includes(name));
  return [
    ...unknown.map((name) => `there is no problem code ${name}`),
    ...(/^drwn(?: |$)/u.test(code) ? problemsOfCommand(code) : []),
    ...(/^--[a-z]/u.test(code) ? problemsOfFlags([code], allFlags()) : []),
    ...problemsOfPath(code),
  ];
}

function problemsOfCommand(code: string): string[] {
  const [, ...words] = splitWords(code.replace(/<[^>]*>/gu, "X").replace(/\[[^\]]*\]/gu, ""));
  const typed = words.filter((word) => !word.startsWith("-"));
  if (typed.at(-1) === "…") return isTopic(typed.slice(0, -1)) ? [] : [`there are no commands below \`${code}\``];
  const length = typed.findLastIndex((_, at) => isCommand(typed.slice(0, at + 1))) + 1;
  if (length === 0 && typed.length > 0) return [`there is no command \`${code}\``];
  const command = length === 0 ? undefined : findCommand(typed.slice(0, length));
  const flags = command === undefined ? [] : flagsOf(command);
  return problemsOfFlags(
    words.filter((word) => word.startsWith("--") && word !== "--"),
    flags,
  ).map((what) => `${what} (in \`${code}\`)`);
}

function problemsOfFlags(words: readonly string[], known: readonly string[]): string[] {
  return words
    .map((word) => word.split(/[ =]/u)[0] ?? word)
    .filter((flag) => ![...known, ...GLOBAL_FLAGS, "--json", "--verbose"].includes(flag))
    .map((flag) => `there is no flag ${flag}`);
}

function problemsOfPath(code: string): string[] {
  if (!/^(?:src|test|templates|docs)\/[\w./-]+$/u.test(code)) return [];
  return fs.existsSync(path.join(repository, code)) ? [] : [`there is no ${code}`];
}

function isCommand(words: readonly string[]): boolean {
  return findCommand(words) !== undefined;
}

function isTopic(words: readonly string[]): boolean {
  return commands().some(({ id }) => words.length === 0 || id.startsWith(`${words.join(":")}:`));
}

function findCommand(words: readonly string[]): ManifestCommand | undefined {
  const id = words.join(":");
  return commands().find((command) => command.id === id || command.aliases.includes(id));
}

function allFlags(): string[] {
  return commands().flatMap(flagsOf);
}

function flagsOf({ flags }: Pick<ManifestCommand, "flags">): string[] {
  return Object.entries(flags).flatMap(([name, { allowNo }]) => [`--${name}`, ...(allowNo ? [`--no-${name}`] : [])]);
}

function commands(): ManifestCommand[] {
  const manifest = JSON.parse(fs.readFileSync(path.join(repository, "oclif.manifest.json"), "utf8"));
  return Object.values(manifest.commands);
}

function anchorsIn(file: string): ReadonlySet<string> {
  return readPage(fs.readFileSync(file, "utf8")).anchors;
}
