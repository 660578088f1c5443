import { hasWildcard, matchesWords, plainWords } from "../../contract/exceptions.ts";
import { type ReadShellCommand, readShell } from "../../helpers/shell/unwrap.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { notAllowable } from "./allow-lasting.ts";

/** What a pattern over the words of a command lets through. */
export interface PatternReach {
  words: string[];
  /** Commands that it covers, and commands that look alike and that it doesn't. */
  covers: string[];
  leaves: string[];
}

/** Reads a pattern for this command, which it has to cover. Refuses one that could mean more than a person sees in it. */
export function reachOf(like: string, command: string): PatternReach {
  const words = like.split(/[ \t]+/u).filter((word) => word !== "");
  const [program = ""] = words;
  const isReadable = words.every((word) => /^[!-~]+$/u.test(word)) && plainWords(program) !== null;
  if (!isReadable || hasWildcard(program) || words.length < 2) {
    throw notAllowable(`\`${clean(like, 120)}\` isn't a pattern over words`, [
      "expected: a program, then its arguments, as in: git push --force origin user/*",
    ]);
  }
  requireClear(words);
  const denied = plainWords(command);
  if (denied === null)
    throw notAllowable("a pattern is for one program with plain words, and this call is more than that");
  if (!matchesWords(words, denied)) {
    throw notAllowable(`\`${clean(like, 200)}\` doesn't cover the call that was denied`, [
      "a star is letters, digits, `_`, `-` and `.` of one word; `**` also has slashes",
    ]);
  }
  return { words, ...examplesOf(words) };
}

/** A plain word in place of a wildcard, as no program knows it. */
const NEUTRAL = "w0rd";
/** Words that make some programs run another one. */
const VERBS = ["exec", "run", "dlx", "x", "sh", "bash", "eval", "call"];
/** Programs that run what a word names or says. */
const RUNS_CODE =
  /^(?:(?:ba|da|z|k|mk|a|fi|c|tc|rba)?sh|pwsh|powershell|cmd|source|\.|eval|exec|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua[\d.]*|[gmn]?awk|Rscript|osascript|tclsh|expect|groovy|elixir|psql|mysql|mariadb|sqlite3|mongosh|vim?|nvim|emacs|ex|ed|gdb|java|julia|nu|xonsh|elvish|swift|scala|runghc|guile|racket|bb|clj|crontab|at|batch)$/u;
/** Programs whose first word says whether they look, change or destroy. */
const SUBCOMMANDS =
  /^(?:git|docker|podman|nerdctl|kubectl|oc|helm|terraform|tofu|pulumi|gh|glab|aws|az|gcloud|systemctl|launchctl|drwn|npm|pnpm|cargo|brew|apt|apt-get|pip|mvn|heroku|fly|flyctl|vercel|wrangler|firebase|supabase)$/u;
/** Options whose value is a file, or a setting, that says what the program does or starts. */
const STEERING: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-K|--config)(?:=|$)/u,
  git: /^(?:-c|--config-env|--exec-path|--git-dir|--work-tree)(?:=|$)/u,
  gradle: /^(?:-b|-c|-I|--init-script|--build-file)(?:=|$)/u,
  just: /^(?:-f|--justfile)(?:=|$)/u,
  make: /^(?:-f|-I|--file|--makefile)(?:=|$)/u,
  ssh: /^(?:-F|-o)(?:=|$)/u,
};

/** Judges by what the shell reader makes of the words, with all that the programs in them start. */
function requireClear(words: readonly string[]): void {
  const at = words.findIndex((word) => word.startsWith("-") && hasWildcard(word.split("=")[0] ?? ""));
  if (at >= 0) throw notAllowable(`\`${clean(words[at] ?? "", 80)}\` would cover options that nobody has seen`);
  const read = readWith(words, NEUTRAL);
  const started = read.find(({ command: { path } }) => path.includes(NEUTRAL));
  if (started !== undefined) throw notAllowable(`the star in \`${clean(words.join(" "), 200)}\` would be any program`);
  const runs = read.find(({ command }) => RUNS_CODE.test(command.program) && command.arguments.some(isNeutral));
  if (runs !== undefined)
    throw notAllowable(`\`${clean(runs.command.program, 80)}\` runs as code what the star stands for`);
  const set = read.some(({ read: { assignments } }) => assignments.some(({ name, value }) => isNeutral(name + value)));
  const isSteered = words.some((word, at) => {
    const steering = STEERING[words[0] ?? ""];
    const option = word.includes("=") && word.startsWith("-") ? word : (words[at - 1] ?? "");
    return hasWildcard(word) && steering?.test(option) === true;
  });
  if (set || isSteered)
    throw notAllowable("the star stands in a setting, which can make the program start another one");
  const verb = VERBS.find((one) => readWith(words, one).length !== read.length);
  if (verb !== undefined) {
    throw notAllowable("the star stands where a word can start another program", [
      `it would cover: ${clean(fill(words, verb), 200)}`,
    ]);
  }
  if (SUBCOMMANDS.test(words[0] ?? "") && /^[*?]+$/u.test(words[1] ?? ""))
    throw notAllowable(`the star in \`${clean(words.join(" "), 200)}\` would be any subcommand`);
}

const isNeutral = (word: string): boolean => word.includes(NEUTRAL);

function readWith(words: readonly string[], word: string): ReadShellCommand[] {
  try {
    return readShell(fill(words, word));
  } catch (error) {
    if (isProblem(error)) throw error;
    throw notAllowable(`no shell would read \`${clean(words.join(" "), 200)}\``);
  }
}

/** The command in which each wildcard is this word. */
function fill(words: readonly string[], word: string): string {
  return words.map((glob) => shellQuote(glob.replaceAll(/\*+|\?/gu, word))).join(" ");
}

/** Typed again, a command has the same words. */
function examplesOf(words: readonly string[]): Pick<PatternReach, "covers" | "leaves"> {
  if (!words.some(hasWildcard)) return { covers: [words.map(shellQuote).join(" ")], leaves: [] };
  const withWildcards = (one: string, many: string): string =>
    words
      .map((glob) => shellQuote(glob.replaceAll(/\*\*+/gu, many).replaceAll("*", one).replaceAll("?", "x")))
      .join(" ");
  const covered = [withWildcards("abc", "abc"), withWildcards("v1.2-rc_3", "abc/def")];
  const others = ["--abc", "+abc", "@abc", "abc:def", "abc/def", "../abc", ".abc", "abc def"];
  const other = others.map((word) => withWildcards(word, word));
  const isCovered = (command: string): boolean => matchesWords(words, plainWords(command) ?? []);
  return {
    covers: [...new Set(covered)].filter(isCovered),
    leaves: [...new Set(other)].filter((command) => !isCovered(command)),
  };
}
