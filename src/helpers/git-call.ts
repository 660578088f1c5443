import type { ShellCommand } from "./shell/commands.ts";
import { commandsOf } from "./shell/unwrap.ts";

/** One call of git: `push` with its arguments, without git's own options before it. */
export interface GitCall {
  subcommand: string;
  arguments: string[];
}

const DEEPEST = 5;
/** git's own options that take the next argument. */
const VALUED = [
  "-C",
  "-c",
  "--attr-source",
  "--config-env",
  "--exec-path",
  "--git-dir",
  "--namespace",
  "--super-prefix",
];
const VALUED_TOO = ["--work-tree", "--list-cmds"];
/** Nobody knows what `$x` is, but `$GIT` and `$(which git)` are most likely git. */
const GUESSED = /^.*git/iu;
const SEPARATE = /^git-([a-z-]+)$/u;

/** Every call of git in a shell text. Throws if the text cannot be read. */
export function gitCallsOf(text: string, depth = 0): GitCall[] {
  return commandsOf(text).flatMap((command) => callOf(command, depth));
}

function callOf({ program, arguments: given }: ShellCommand, depth: number): GitCall[] {
  const separate = SEPARATE.exec(program)?.[1];
  if (separate !== undefined) return [{ subcommand: separate, arguments: given }];
  if (program.toLowerCase() !== "git" && !(/^[$`]/u.test(program) && GUESSED.test(program))) return [];
  const aliases = new Map<string, string>();
  let at = 0;
  for (; at < given.length && given[at]?.startsWith("-"); at++) {
    const option = given[at] ?? "";
    if (option === "-c") addAlias(aliases, given[at + 1] ?? "");
    if (VALUED.includes(option) || VALUED_TOO.includes(option)) at++;
  }
  const [subcommand, ...rest] = given.slice(at);
  if (subcommand === undefined) return [];
  const alias = aliases.get(subcommand.toLowerCase());
  if (alias === undefined || depth >= DEEPEST) return [{ subcommand, arguments: rest }];
  return expandAlias(alias, { settings: given.slice(0, at), rest, depth });
}

function addAlias(aliases: Map<string, string>, setting: string): void {
  const [, name, value] = /^alias\.([^=]+)=([\s\S]*)$/iu.exec(setting) ?? [];
  if (name !== undefined && value !== undefined) aliases.set(name.toLowerCase(), value);
}

interface AliasUse {
  /** git's own options before the alias. */
  settings: readonly string[];
  rest: readonly string[];
  depth: number;
}

function expandAlias(alias: string, { settings, rest, depth }: AliasUse): GitCall[] {
  const quoted = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const text = alias.startsWith("!")
    ? `${alias.slice(1)} ${quoted(rest)}`
    : `git ${quoted(settings)} ${alias} ${quoted(rest)}`;
  return gitCallsOf(text, depth + 1);
}
