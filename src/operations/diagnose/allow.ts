import fs from "node:fs";
import { layout } from "../../contract/layout.ts";
import {
  type Exception,
  factsText,
  type HookFacts,
  hasPassed,
  hasWildcard,
  type Ledger,
  matchesWords,
  plainWords,
} from "../../contract/ledger.ts";
import type { ReadShellCommand, ShellCommand } from "../../helpers/shell/commands.ts";
import { readShell } from "../../helpers/shell/unwrap.ts";
import { isCallAsWritten } from "../../journal/select.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { findGlobal, findGlobalBeside } from "../../project/open/locate-project.ts";
import { openProject, withProject } from "../../project/open/open-project.ts";
import { requirePerson, requireTerminal } from "../../project/open/require-person.ts";
import { appendConsentEvents, type ConsentEvent } from "../../trust/consent-log.ts";
import { activeGrant, withExceptions, writeLedger } from "../../trust/ledger-file.ts";
import { commandOfCall, findCall, findCallsHere, type LoggedCall, listCalls, summarizeInput } from "./log.ts";

export interface AllowRequest {
  /** The id of the denied call, as `drwn log` shows it. */
  id: string;
  lasting: ExceptionDuration;
  /** Globs over the words of a shell command; null: exactly the call. */
  like: string | null;
  reason: string;
}

/** What a person has to see before they let a call through. */
export interface AllowableCall {
  /** All of its input is in it. */
  call: LoggedCall;
  /** What a pattern would cover; null: exactly this call. */
  reach: PatternCoverage | null;
}

/** The call as a person would let it through. Nobody can allow what the journal doesn't show. */
export function lookAtCall(host: Host, { id, like }: Pick<AllowRequest, "id" | "like">): AllowableCall {
  requirePersonThere(host, `drwn allow ${clean(id, 64)}`);
  const call = findCall(host, id);
  requireShown(call);
  return { call, reach: like === null ? null : patternOf(like, call) };
}

/** Lets a call past the one hook that denied it; every other hook still judges it. Only a person at a terminal can. */
export async function allowCall(host: Host, request: AllowRequest): Promise<Exception> {
  requirePersonThere(host, `drwn allow ${clean(request.id, 64)}`);
  const line = findCall(host, request.id);
  if (!isCallAsWritten({ home: host.drwnHome, key: openProject(host).key }, line.hash)) {
    throw notAllowable(`the line of call ${line.id} in the journal was edited`, ["see: drwn log --verify"]);
  }
  return withProject(consentingHost(host, line), ({ ledger, key }) => {
    if (ledger === undefined) throw notAllowable("nothing was consented to in this project");
    const now = host.now();
    const exception = exceptionFor(line, { ledger, request, now });
    const isKept = ({ id, expiresAt }: Exception): boolean =>
      id !== exception.id && !hasPassed(expiresAt, now.getTime());
    // A call that is allowed once more may be made once more.
    fs.rmSync(layout.exceptionUses(host.drwnHome, key, exception.id), { force: true });
    const next = withExceptions(ledger, isKept, [exception]);
    replaceLedger({ host, key }, next, { what: "allowed", exception, time: now.toISOString() });
    return exception;
  });
}

/** Whose consents the guard that denied the call is in force by: an exception belongs to the same scope. */
function consentingHost(host: Host, { by, policies }: LoggedCall): Host {
  const isGlobal = policies.some(({ policy, scope }) => policy === by && scope === "global");
  return isGlobal ? (findGlobal(host) ?? host) : host;
}

function requirePersonThere(host: Host, command: string): void {
  requirePerson(host, "let a denied call through", command);
  requireTerminal(host, "let a denied call through", command);
}

/** How many denials are offered to choose from. */
const OFFERED = 10;

/** The last calls that a person could let through, the latest first; a repeated call is listed once. */
export function listAllowable(host: Host): LoggedCall[] {
  requirePersonThere(host, "drwn allow");
  const denied = listCalls(host, { verdict: "deny" }, Number.POSITIVE_INFINITY).filter(
    ({ rule, named, isWhole }) => rule === "deny" && named !== undefined && isWhole === true,
  );
  const lastOfEach = new Map(denied.map((call) => [`${call.by} ${call.named?.digest}`, call]));
  const calls = [...lastOfEach.values()].sort((a, b) => b.time.localeCompare(a.time)).slice(0, OFFERED);
  if (calls.length === 0) throw notAllowable("the journal shows no denied call here that can have an exception");
  return calls;
}

interface Making {
  ledger: Ledger;
  request: AllowRequest;
  now: Date;
}

function exceptionFor(line: LoggedCall, { ledger, request, now }: Making): Exception {
  const { named: call, by = "" } = line;
  const [, card = "", hook = ""] = /^(@[^@#]+)@[^#]+#(.+)$/u.exec(by) ?? [];
  const facts = factsIn(ledger, card, hook);
  if (call === undefined || line.rule !== "deny") throw notAllowable(`call ${line.id} ${whyNot(line)}`);
  if (facts === undefined) throw notAllowable(`${clean(by, 200)} isn't what was consented to any more`);
  requireShown(line);
  const like = request.like === null ? null : { folder: call.folder, words: patternOf(request.like, line).words };
  return {
    id: line.id,
    card,
    hook,
    facts: factsText(facts),
    call: like === null ? call.digest : null,
    like,
    isOnce: request.lasting === "once",
    session: request.lasting === "session" ? requireSession(call.session) : null,
    expiresAt: expiryOf(request.lasting, now),
    reason: requireReason(request.reason),
    at: now.toISOString(),
  };
}

function whyNot({ rule, verdict }: LoggedCall): string {
  if (verdict !== "deny") return "was not denied";
  if (rule === "deny")
    return "was denied by a guard of root's or of a project around this one, or at a lifecycle event";
  return "was denied because a policy failed, or drwn could not judge it: that has no exceptions";
}

function factsIn(ledger: Ledger, card: string, hook: string): HookFacts | undefined {
  return activeGrant(ledger, card)
    ?.approved.at(-1)
    ?.hooks.find(({ name }) => name === hook);
}

function requireShown(call: LoggedCall): void {
  if (call.named === undefined || call.rule !== "deny") throw notAllowable(`call ${call.id} ${whyNot(call)}`);
  if (call.input === undefined) {
    throw new Problem(
      "DRWN_EXCEPTION_INVALID",
      `the journal doesn't say what call ${call.id} was, so nobody can allow it`,
      {
        hint: "drwn log --inputs denied, then let the agent try it again",
      },
    );
  }
  if (call.isWhole !== true) {
    throw new Problem(
      "DRWN_EXCEPTION_INVALID",
      `the journal shows only a part of call ${call.id}, so nobody can allow it`,
      {
        details: ["it is longer than drwn keeps, or drwn masked a word in it that looks like a secret"],
        hint: "run it yourself if you want it, or let the agent find a way that can be shown",
      },
    );
  }
}

function patternOf(like: string, call: LoggedCall): PatternCoverage {
  const command = call.tool === "Bash" ? commandOfCall(call) : null;
  if (command !== null) return patternCoverageOf(like, command);
  throw notAllowable("a pattern is about the words of a shell command, and this call has none that the journal shows");
}

function requireSession(session: string): string {
  if (session !== "") return session;
  throw notAllowable("this agent doesn't say which session a call belongs to");
}

function requireReason(reason: string): string {
  if (reason.length <= 300 && clean(reason, 300) === reason && !reason.includes("\n")) return reason;
  throw notAllowable("a reason is one line of at most 300 characters");
}

interface ListedException extends Exception {
  /** The guard that it lets calls past holds in every folder. */
  isGlobal: boolean;
  /** What was denied, if the journal here still has it. */
  shown: string | null;
  /** How often it let a call through. */
  uses: number;
  state: "holds" | "used-up" | "ended" | "void";
}

/** The exceptions of this project, and those of the guards that hold in every folder. */
export function listExceptions(host: Host): ListedException[] {
  return scopesOf(host).flatMap((scope) => {
    const { key, ledger, isGlobal } = openProject(scope);
    return (ledger?.exceptions ?? []).map((exception) => {
      const file = layout.exceptionUses(host.drwnHome, key, exception.id);
      const uses = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      const state = stateOf(exception, { uses, ledger, now: host.now().getTime() });
      return { ...exception, isGlobal, shown: shownIn(host, exception), uses, state };
    });
  });
}

function scopesOf(host: Host): Host[] {
  return [host, findGlobalBeside(host)].filter((one) => one !== undefined);
}

function shownIn(host: Host, { id, like }: Exception): string | null {
  if (like !== null) return like.words.join(" ");
  const [call] = findCallsHere(host, id);
  return call === undefined ? null : summarizeInput(call);
}

function stateOf(
  { card, hook, facts, isOnce, expiresAt }: Exception,
  { uses, ledger, now }: { uses: number; ledger: Ledger | undefined; now: number },
): ListedException["state"] {
  if (hasPassed(expiresAt, now)) return "ended";
  if (isOnce && uses > 0) return "used-up";
  const known = ledger === undefined ? undefined : factsIn(ledger, card, hook);
  return known !== undefined && factsText(known) === facts ? "holds" : "void";
}

/** Takes an exception back. Anybody may, since that only restores a guard. */
export async function removeException(host: Host, id: string): Promise<Exception> {
  const isItsOwn = (scope: Host): boolean =>
    openProject(scope).ledger?.exceptions?.some((one) => one.id === id) === true;
  return withProject(scopesOf(host).find(isItsOwn) ?? host, ({ ledger, key }) => {
    const exception = ledger?.exceptions?.find((one) => one.id === id);
    if (ledger === undefined || exception === undefined) {
      throw new Problem("DRWN_EXCEPTION_INVALID", `there is no exception ${clean(id, 40)} in this project`, {
        hint: "drwn allow --list",
      });
    }
    const next = withExceptions(ledger, (one) => one.id !== id);
    replaceLedger({ host, key }, next, { what: "disallowed", exception, time: host.now().toISOString() });
    fs.rmSync(layout.exceptionUses(host.drwnHome, key, id), { force: true });
    return exception;
  });
}

interface Change {
  what: Extract<ConsentEvent["what"], "allowed" | "disallowed">;
  exception: Exception;
  time: string;
}

function replaceLedger({ host, key }: { host: Host; key: string }, ledger: Ledger, change: Change): void {
  const { what, exception, time } = change;
  const { card, expiresAt: until } = exception;
  const nothing = { version: null, tree: null, range: null, mode: null, by: null };
  const description = what === "allowed" ? describeException(exception) : exception.id;
  const sequence = ledger.sequence + 1;
  appendConsentEvents(host.drwnHome, key, [{ ...nothing, sequence, time, what, card, until, exception: description }]);
  writeLedger(host.drwnHome, key, ledger);
}

/** `0123456789ab past push: git push --force origin user/*, once, because "…"` */
export function describeException({ id, hook, like, isOnce, session, reason }: Exception): string {
  const what = like === null ? "exactly that call" : like.words.join(" ");
  const how = isOnce ? ", once" : session === null ? "" : ", in one session";
  return `${id} past ${hook}: ${what}${how}${reason === "" ? "" : `, because "${reason}"`}`;
}

/** What a pattern over the words of a command lets through. */
interface PatternCoverage {
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

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long an exception for one call waits for it. */
const ONCE_MS = 10 * MINUTE_MS;
const LONGEST_MS = 30 * DAY_MS;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };

/** How long it holds. `session`: until the session of the call ends, and no longer than a day. */
export type ExceptionDuration = "once" | "session" | "always" | { for: string };

/** When an exception ends, ISO 8601; null: not by itself. */
function expiryOf(lasting: ExceptionDuration, now: Date): string | null {
  if (lasting === "always") return null;
  return new Date(now.getTime() + durationOf(lasting)).toISOString();
}

function durationOf(lasting: Exclude<ExceptionDuration, "always">): number {
  if (lasting === "once") return ONCE_MS;
  if (lasting === "session") return DAY_MS;
  const [, count = "", unit = ""] = /^(\d{1,5})([mhd])$/u.exec(lasting.for) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (milliseconds > 0 && milliseconds <= LONGEST_MS) return milliseconds;
  throw notAllowable(`\`${clean(lasting.for, 40)}\` isn't a time`, ["expected: 15m, 2h or 3d; at most 30d"]);
}

/** Why a person cannot let a call through, or not like this. */
function notAllowable(what: string, details: readonly string[] = [], hint = "drwn log"): Problem {
  return new Problem("DRWN_EXCEPTION_INVALID", what, { details, hint });
}
