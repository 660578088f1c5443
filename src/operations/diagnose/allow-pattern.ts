import { hasWildcard, matchesWords, plainWords } from "../../contract/exceptions.ts";
import { type ReadShellCommand, readShell, type ShellCommand } from "../../helpers/shell/unwrap.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { notAllowable } from "./exception-duration.ts";

/** What a pattern over the words of a command lets through. */
export interface PatternCoverage {
  words: string[];
  /** Commands that it covers, and commands that look alike and that it doesn't. */
  covers: string[];
  leaves: string[];
}

/** Reads a pattern for this command, which it has to cover. Refuses one that could mean more than a person sees in it. */
export function patternCoverageOf(like: string, command: string): PatternCoverage {
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
/** Programs all of whose words are names of files, hosts, targets or processes. Words of any other may say what it does. */
const TAKES_NAMES =
  /^(?:ls|ll|cat|bat|head|tail|less|more|wc|file|stat|du|df|mkdir|rmdir|rm|unlink|shred|trash|cp|mv|ln|touch|tee|sort|uniq|cut|diff|cmp|comm|[ef]?grep|rg|ag|tree|find|fd|realpath|readlink|basename|dirname|(?:md5|sha\d+)sum|zip|unzip|gzip|gunzip|tar|rsync|scp|curl|wget|echo|printf|cd|kill|ping|make|gmake|just|tsc|jest|vitest|pytest|mocha|phpunit|rspec|eslint|prettier|biome|ruff|black|mypy)$/u;
/** Programs whose first word says what to do with the files after it. */
const FIRST_SAYS = /^(?:g?sed|chmod|chown|chgrp|jq|yq)$/u;
/** Words after which a program takes names; all others may be groups of such words, as in `docker volume rm`. */
const ACTION =
  /^(?:add|attach|bench|blame|branch|build|cancel|check|checkout|cherry-pick|clean|clone|close|commit|copy|cordon|cp|create|del|delete|describe|destroy|diff|disable|doc|download|drain|drop|edit|enable|fetch|fmt|get|history|inspect|install|kill|lint|list|logs?|ls|merge|mv|open|pause|ps|publish|pull|push|rebase|reinstall|reload|remove|rename|reopen|reset|restart|restore|revert|rm|rmi|scale|select|show|start|status|stop|switch|tag|tail|terminate|test|uncordon|uninstall|unpause|update|upgrade|upload|view|wait)(?:-[a-z-]+)?$/u;
/** Programs whose first word is always a group: `gh run`, `aws logs`. */
const GROUPS_FIRST = /^(?:gh|glab|aws|az|gcloud)$/u;
/** Programs whose `run` takes the name of a script of the project, or words for the project's own program. */
const RUNS_OWN = /^(?:npm|pnpm|yarn|cargo|turbo|nx|lerna|rush)$/u;
/** Programs whose action takes a kind of resource before a name, and the actions that don't. */
const KINDS_FIRST = /^(?:kubectl|oc)$/u;
const WITHOUT_KIND = /^(?:attach|cordon|drain|exec|logs|uncordon)$/u;
/** Long options, and settings like make's `TAG=`, whose value is a name, a number or words. Any other may start a program. */
const NAMING =
  /^(?:[a-z]+-)*(?:id|name|title|message|body|notes|branch|tag|label|author|assignee|reviewer|milestone|namespace|region|project|version|env|environment|platform|arch|grep|testNamePattern|port|host|limit|lines|tail|since|until|output|out|outdir|target|selector|replicas|depth|jobs|sha|ref)s?$/iu;
/** Long options without a value. */
const WITHOUT_VALUE =
  /^--(?:no-[a-z-]+|all|cached|ci|coverage|delete|dry-run|fix|follow|force|force-with-lease|global|hard|interactive|keep-index|quiet|recursive|rm|save-dev|set-upstream|short|silent|soft|staged|stat|tags|verbose|watch|write|yes)$/u;
/** Short options of these programs whose value is a program, code, or a file of settings. */
const STEERING: Readonly<Record<string, RegExp>> = {
  bundle: /^-[rG]/u,
  curl: /^-K/u,
  eslint: /^-[cf]/u,
  git: /^-[cOsux]$/u,
  gmake: /^-[fIE]$/u,
  gradle: /^-[bcI]$/u,
  jest: /^-c/u,
  jq: /^-[fL]/u,
  just: /^-[cfd]$/u,
  make: /^-[fIE]$/u,
  mocha: /^-[rR]/u,
  npm: /^-C/u,
  phpunit: /^-c/u,
  pip: /^-[ceirt]$/u,
  pytest: /^-[cpo]$/u,
  rspec: /^-[rfO]/u,
  rsync: /^-[eM]/u,
  scp: /^-[FJoS]/u,
  ssh: /^-[FJo]/u,
  tar: /^-[a-zA-Z]*[IFT]$/u,
  wget: /^-[ei]/u,
  zip: /^-TT/u,
};

/** Judges by what the shell reader makes of the words, with all that the programs in them start. */
function requireClear(words: readonly string[]): void {
  if (words.some((word) => /^\/+[*?]/u.test(word))) throw notAllowable("the star would be any folder of the machine");
  const at = words.findIndex((word) => word.startsWith("-") && hasWildcard(word.split("=")[0] ?? ""));
  if (at >= 0) throw notAllowable(`\`${clean(words[at] ?? "", 80)}\` would cover options that nobody has seen`);
  const read = readWith(words, NEUTRAL);
  const started = read.find(({ command: { path } }) => path.includes(NEUTRAL));
  if (started !== undefined) throw notAllowable(`the star in \`${clean(words.join(" "), 200)}\` would be any program`);
  const runs = read.find(({ command }) => RUNS_CODE.test(command.program) && command.arguments.some(isNeutral));
  if (runs !== undefined)
    throw notAllowable(`\`${clean(runs.command.program, 80)}\` runs as code what the star stands for`);
  const set = read.some(({ read: { assignments } }) => assignments.some(({ name, value }) => isNeutral(name + value)));
  const isSteered = read.some(({ command }) => command.arguments.some((_, at) => isSetting(command, at)));
  if (set || isSteered)
    throw notAllowable("the star stands in a setting, which can make the program start another one");
  const verb = VERBS.find((one) => readWith(words, one).length !== read.length);
  if (verb !== undefined) {
    throw notAllowable("the star stands where a word can start another program", [
      `it would cover: ${clean(fill(words, verb), 200)}`,
    ]);
  }
  const innermost = read.filter(
    (one) => one.command.arguments.some(isNeutral) && !read.some((other) => isStartedBy(other, one)),
  );
  // `docker exec * ls` says what it runs; `docker run *` and `go run *` don't.
  for (const one of innermost)
    requireNames(
      one.command,
      read.some(({ starter }) => starter === one),
    );
}

/** `git` in `sudo git *`: whether the star reaches a program through this one. */
function isStartedBy({ command, starter }: ReadShellCommand, one: ReadShellCommand): boolean {
  return starter === one && [command.path, ...command.arguments].some(isNeutral);
}

/** Whether the star at this argument is the value of an option, or of a variable, that may steer the program. */
function isSetting({ program, arguments: given }: ShellCommand, at: number): boolean {
  const word = given[at] ?? "";
  const [name = "", value] = word.split("=", 2);
  const before = given[at - 1] ?? "";
  if (!isNeutral(word)) return false;
  if (value !== undefined) return !NAMING.test(name.replace(/^--?/u, ""));
  if (/^--./u.test(before)) return !NAMING.test(before.slice(2)) && !WITHOUT_VALUE.test(before);
  return /^-\w*(?:exec|tool|plugin)$/u.test(before) || STEERING[program]?.test(before) === true;
}

/** Throws unless every star stands where the program takes a name: the words before it must say what is done. */
function requireNames({ program, arguments: given }: ShellCommand, isStarter: boolean): void {
  if (TAKES_NAMES.test(program)) return;
  const at = given.findIndex(isNeutral);
  const isOption = (word = ""): boolean => word.startsWith("-") && word !== "-";
  const shown = clean([program, ...given].join(" ").replaceAll(NEUTRAL, "*"), 200);
  if (FIRST_SAYS.test(program)) {
    const isFixed = given
      .slice(0, at)
      .some((word) => !isOption(word) || (program === "chmod" && /^-[rwx]/u.test(word)));
    const isScript = given.some(
      (word, place) => isNeutral(word) && /^-(?:\w*[ef]|-expression|-file)$/u.test(given[place - 1] ?? ""),
    );
    if (isFixed && !isScript) return;
    throw notAllowable(`the star in \`${shown}\` says what is done to the files`);
  }
  // The word after an option may be its value.
  const before = given
    .slice(0, at)
    .filter((word, place) => !isOption(word) && (place === 0 || !isOption(given[place - 1])));
  const isAction = (word: string): boolean =>
    ACTION.test(word) || (/^(?:run|exec)$/u.test(word) && (isStarter || (word === "run" && RUNS_OWN.test(program))));
  const action = before.findIndex((word, place) => isAction(word) && (place > 0 || !GROUPS_FIRST.test(program)));
  if (action < 0) throw notAllowable(`the star in \`${shown}\` would be any subcommand`);
  const isKind = KINDS_FIRST.test(program) && !WITHOUT_KIND.test(before[action] ?? "");
  if (isKind && before.length === action + 1 && !/^[a-z.]+\//u.test((given[at] ?? "").replace(NEUTRAL, "*")))
    throw notAllowable(`the star in \`${shown}\` would be any kind of resource`);
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
function examplesOf(words: readonly string[]): Pick<PatternCoverage, "covers" | "leaves"> {
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
