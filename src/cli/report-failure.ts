import { stripVTControlCharacters } from "node:util";
import * as Errors from "@oclif/core/errors";
import { type CommandScope, sayIn } from "../kernel/advice.ts";
import { toFileSystemProblem } from "../kernel/files.ts";
import { readEnvironment } from "../kernel/host.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean, cleanLines } from "../kernel/text.ts";
import { correctFlags, correctValue, type KnownFlags, toLine } from "./names/suggest.ts";
import { problemToJson, renderProblem } from "./render/problem.ts";
import { EXIT, makeConsole } from "./terminal/console.ts";

export interface FailureReport {
  json: boolean;
  scope?: CommandScope;
  /** What was typed, if drwn knows which command that is. */
  typed?: { id: string; argv: readonly string[]; flags: KnownFlags };
}

/** A command line that means nothing, with the one that was probably meant. */
export class Misspelled extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The one place where a failure becomes text and an exit code. */
export function reportFailure(failure: unknown, about: FailureReport): void {
  try {
    report(failure, about);
  } catch (error) {
    // If stdout has no room for the document, a person is told.
    report(error, { ...about, json: false });
  }
}

function report(failure: unknown, about: FailureReport): void {
  const found = toFileSystemProblem(failure) ?? failure;
  const error = isProblem(found) && about.typed !== undefined ? asTyped(found, about.typed, about.scope) : found;
  if (isProblem(error)) {
    const console = makeConsole(readEnvironment(), about.scope);
    if (about.json) console.json(problemToJson(error));
    else for (const line of renderProblem(error, console)) console.talk(line);
    process.exitCode = EXIT.problem;
  } else if (error instanceof Misspelled) reportUsage(error, about);
  else if (error instanceof Errors.CLIError) {
    // oclif colours its messages if the terminal shows colours; here they are plain text, like that of others.
    const message = stripVTControlCharacters(error.message).split("\nSee more help")[0] ?? error.message;
    reportUsage({ message: inOwnWords(message, about), hint: hintFor(message, about) }, about);
  } else reportBug(error, about);
}

/** The problems of what only a person may do. */
const PERSONS = new Set(["DRWN_AGENT_SESSION", "DRWN_TERMINAL_NEEDED"]);
/** No hint consents for a person. */
const UNSAID = ["--yes", "-y", "--json"];

/**
 * The same problem with the typed line and all its flags as the hint, where a card's name was mistyped, or only a person
 * may do it: the operation knows only its command.
 */
function asTyped(
  problem: Problem,
  { id, argv, flags }: NonNullable<FailureReport["typed"]>,
  scope: CommandScope,
): Problem {
  const { code, message, details, meant, cause } = problem;
  const words = id.split(":");
  // `drwn trust list`
  if (meant === undefined && argv.length === 1 && Object.hasOwn(flags, argv[0] ?? ""))
    return new Problem(code, message, { details, cause, hint: toLine([...words, `--${argv[0]}`]) });
  if (meant?.typed === "" && Object.hasOwn(flags, meant.word.slice(2))) {
    const way = `${sayIn(scope, problem.hint ?? "")}, or: ${toLine([...words, meant.word, ...argv])}`;
    return new Problem(code, message, { cause, hint: way });
  }
  if (meant !== undefined && (meant.typed === "." || argv.includes(meant.typed))) {
    // The folder that a command takes by default wasn't typed.
    const swapped = (word: string) => (word === meant.typed ? meant.word : word === meant.word ? meant.typed : word);
    const line = argv.includes(meant.typed) ? argv.map(swapped) : [meant.word, ...argv];
    return new Problem(code, message, { details, cause, hint: toLine([...words, ...line]) });
  }
  const hint = sayIn(scope, problem.hint ?? "");
  const [before, after] = hint.split(`drwn ${words.join(" ")}`);
  if (!PERSONS.has(code) || before === undefined || after === undefined || /;|^[a-z]/u.test(after)) return problem;
  const line = toLine([...words, ...argv.filter((word) => !UNSAID.includes(word))]);
  return new Problem(code, message, { details, cause, hint: before + line });
}

/** What oclif's parser says of a line, as drwn says it. */
const USAGE: readonly (readonly [said: RegExp, ours: string])[] = [
  [/^The following errors? occurred:\s+/u, ""],
  [/^Nonexistent flag: (.*)$/mu, "`drwn %` has no flag $1"],
  [/^Nonexistent flags: (.*)$/mu, "`drwn %` has no flags $1"],
  [/^Unexpected argument: (.*)$/mu, "`drwn %` takes no argument `$1`"],
  [/^Unexpected arguments: (.*)$/mu, "`drwn %` takes no arguments `$1`"],
  [/^Missing \d+ required args?:$/mu, "`drwn %` needs an argument:"],
  [/^(?:Exactly|At least) one of the following must be provided: (.*), (.*)$/mu, "`drwn %` needs $1 or $2"],
  [/^All of the following must be provided when using (.*): (.*)$/mu, "$1 goes only with $2"],
  [/^(--[\w-]+)(?:=.*)? cannot also be provided when using (--[\w-]+)$/mu, "$1 and $2 exclude each other"],
  [/^Flag (.*) expects a value$/mu, "$1 needs a value"],
  [/^Parsing (.*) \n\s*Expected an integer but received: (.*)$/mu, "$1 needs a whole number, not `$2`"],
];

function inOwnWords(message: string, { typed }: FailureReport): string {
  const name = (typed?.id ?? "").replaceAll(":", " ");
  return USAGE.reduce((text, [said, ours]) => text.replace(said, ours), message).replaceAll(
    "`drwn %`",
    `\`drwn ${name}\``,
  );
}

function reportUsage({ message, hint }: { message: string; hint: string }, { json }: FailureReport): void {
  const console = makeConsole(readEnvironment());
  if (json) console.json({ error: { code: "DRWN_USAGE", message, details: [], hint } });
  else {
    const [first = "", ...others] = cleanLines(message);
    const lines = [`${console.style.bad("error:")} ${first}`, ...others];
    for (const line of [...lines, "", `${console.style.good("hint:")} ${clean(hint, 2000)}`]) console.talk(line);
  }
  process.exitCode = EXIT.usage;
}

/** What does for cards what these do for a whole project. */
const FOR_CARDS: Readonly<Record<string, string>> = { install: "add", init: "add", uninstall: "remove" };

/** The line that was meant, if a typing mistake explains the message; else where to read on. */
function hintFor(message: string, { typed }: FailureReport): string {
  if (typed === undefined) return "drwn --help";
  const { id, argv, flags } = typed;
  const words = id.split(":");
  const [, value, options = ""] = /^Expected (?:--[\w-]+=)?(.*) to be one of: (.*)$/su.exec(message) ?? [];
  const verb = message.startsWith("Unexpected argument") ? FOR_CARDS[id] : undefined;
  if (verb !== undefined && (id === "install" || argv[0]?.startsWith("@") === true)) return toLine([verb, ...argv]);
  // `drwn log check`
  const dashed = /^Unexpected argument: (\w+)$/mu.test(message)
    ? argv.map((word) => (Object.hasOwn(flags, word) ? `--${word}` : word))
    : argv;
  const corrected = value === undefined ? correctFlags(dashed, flags) : correctValue(argv, value, options.split(", "));
  const isCorrected = corrected?.some((word, at) => word !== argv[at]) === true;
  return isCorrected ? toLine([...words, ...corrected]) : toLine([...words, "--help"]);
}

function reportBug(error: unknown, { json }: FailureReport): void {
  const console = makeConsole(readEnvironment());
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (json) console.json({ error: { code: "DRWN_BUG", message: stack, details: [], hint: null } });
  else
    for (const line of ["This is a bug of drwn. Please report it with these lines:", "", ...cleanLines(stack, 100)])
      console.talk(line);
  process.exitCode = EXIT.bug;
}
