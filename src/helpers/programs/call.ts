import { oneOf, oneOfAnyCase, withoutVersion } from "../pattern/one-of.ts";
import { type OptionShape, type Options, readOptions } from "./options.ts";
import { phraseOf } from "./phrases.ts";
import { type ActClass, isKnownProgram, type ProgramKind, type ProgramRow, rowOf, type ValueKind } from "./rows.ts";

/** A command with its environment, as far as the text shows. */
export interface CallSource {
  program: string;
  arguments: readonly string[];
  environment: ReadonlyMap<string, string>;
  feeders: readonly { program: string; arguments: readonly string[] }[];
}

/** A command, read by what the table knows of its program. */
export interface ProgramCall extends Options {
  /** The name in the table: `terraform` for `tofu`, `docker` for `docker-compose`; else its own. */
  program: string;
  /** The program as it was called, for people: `php artisan`. */
  shown: string;
  /** Whether the table has the program. */
  isKnown: boolean;
  kind: ProgramKind | undefined;
  /** Subcommands and operands, in order: `["compose", "down"]`. */
  words: string[];
  /** It prints help, or says what it would do. */
  onlyLooks: boolean;
  /** It answers its own safety question: `--force`, `-y`, `yes |`. */
  isForced: boolean;
  /** Addresses, contexts, accounts and databases that say where it acts. */
  where: string[];
  /** The files that its options name for what it writes: `-o x`. */
  written: string[];
  /** What its words do by the table: the phrase that says so; `isCertain`: nothing makes it right. */
  does(act: ActClass): { isCertain: boolean } | undefined;
}

const INTERPRETERS = oneOf("php python ruby node perl symfony bun deno tsx ts-node py");
/** Programs of the table under another name, and the words that are left out or added. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  "docker-compose": ["docker", "compose"],
  "podman-compose": ["docker", "compose"],
  "nerdctl-compose": ["docker", "compose"],
};
const LOOKS =
  "help version dry-run dryrun dry_run dryRun no-act simulate what-if noop -help -version -dry-run -WhatIf -whatif preview-only just-print generate-cli-skeleton";
const ANSWERS =
  "force yes assume-yes assumeyes no-interaction non-interactive noinput no-input no-confirm noconfirm skip-confirmation auto-approve -auto-approve accept-data-loss confirm yes-i-really-mean-it no-prompt -Force quiet-yes";
const NOT = oneOfAnyCase("false no none 0 never off");

/** Of the steps of a call, which are frozen: all policies ask about them. */
const known = new WeakMap<CallSource, ProgramCall>();

export function programCallOf(source: CallSource): ProgramCall {
  const before = known.get(source);
  if (before !== undefined) return before;
  const call = readCall(source);
  if (Object.isFrozen(source)) {
    for (const list of [call.words, call.operands, call.where, call.written]) Object.freeze(list);
    known.set(source, Object.freeze(call));
  }
  return call;
}

function readCall(source: CallSource): ProgramCall {
  const { program, given: told, shown = source.program } = called(source);
  const row = rowOf(program);
  const given = row === undefined || row.adding.length === 0 ? told : [...told, ...addedBy(row, told, source)];
  const first = readBy(row, program, given, false);
  const all = first.rows;
  const [last] = all.slice(-1);
  const { has, values, operands } = first.options;
  const words = row !== undefined && namesTheSame(operands[0], row, source.program) ? operands.slice(1) : operands;
  // What has a value here isn't a flag: `-f file`, `--version 1.0`.
  const isValued = (name: string) => all.some((one) => one.values.has(name)) && values(name).length > 0;
  const flags = (names: readonly string[]) =>
    names.some((name) => has(name) && !isValued(name) && !values(name).some((value) => NOT(value)));
  const isHelp =
    words[0] === "help" ||
    (row?.kind === "local" && words.includes("--dry-run")) ||
    (row?.kind === "service" && words.at(-1) === "help") ||
    (has("h") &&
      !all.some(({ values: valued, others }) => valued.has("h") || others.includes("h")) &&
      row !== undefined);
  const answers = ["f", "y"].filter((letter) => last?.others.includes(letter) !== true);
  const own = all.flatMap((one) => [
    ...valuesOf(one, values, "place"),
    ...one.variables.flatMap((name) => source.environment.get(name) ?? []),
    ...(one.isPlaced ? operands : []),
  ]);
  // `awslocal` and its like always talk to this machine, `wrangler --local` does now.
  const isLocal =
    (source.program.endsWith("local") && /^\w+local$/u.test(source.program)) ||
    (row?.kind === "service" && has("local"));
  const where = isLocal && row !== undefined ? [...own, "localhost"] : own;
  return {
    ...first.options,
    program: row?.name ?? program,
    shown,
    isKnown: row !== undefined,
    kind: all.findLast(({ kind }) => kind !== undefined)?.kind,
    words,
    onlyLooks:
      isHelp ||
      flags([
        ...LOOKS.split(" "),
        ...(last?.looks ?? []),
        ...all.flatMap(({ looks }) => looks).filter((name) => name.length > 1),
      ]),
    isForced:
      flags([...ANSWERS.split(" "), ...all.flatMap((one) => one.answers), ...answers]) ||
      source.feeders.some((one) => saysYes(one)),
    where,
    written: all.flatMap((one) => valuesOf(one, values, "written")),
    does(act) {
      const owner = all.findLast(({ classes }) => classes.size > 0);
      if (owner?.classes.has(act) !== true) return undefined;
      const depth = owner.name.split(" ").length - 1;
      for (const isGuessing of [false, true]) {
        const reading = isGuessing ? readBy(row, program, given, true).options : { has, values, operands: words };
        const found = (one: ActClass) =>
          owner.classes
            .get(one)
            ?.map(phraseOf)
            .filter((phrase) => phrase.matches(reading.operands.slice(depth), reading)) ?? [];
        if (!["keeps", "reveals", "sends", "fetches"].includes(act) && found("keeps").length > 0) return undefined;
        const phrases = found(act);
        if (phrases.length > 0) return { isCertain: phrases.some(({ isCertain }) => isCertain) };
      }
      return undefined;
    },
  };
}

/** The commands that options of a program name. */
export function commandsNamed(program: string, given: readonly string[]): string[] {
  const row = rowOf(program);
  if (row === undefined || !given.some((word) => word.startsWith("-"))) return [];
  const { rows, options } = readBy(row, program, given, false);
  return rows.flatMap((one) => valuesOf(one, options.values, "command"));
}

function valuesOf(row: ProgramRow, values: Options["values"], wanted: ValueKind): string[] {
  return [...row.values].filter(([, kind]) => kind === wanted).flatMap(([name]) => values(name));
}

/** `TF_CLI_ARGS="-auto-approve"`, and `TF_CLI_ARGS_apply` for one verb. */
function addedBy({ adding }: ProgramRow, told: readonly string[], { environment }: CallSource): string[] {
  return [...environment].flatMap(([name, value]) =>
    adding.some((one) => name === one || told.some((word) => name === `${one}_${word}`)) ? value.split(/\s+/u) : [],
  );
}

function saysYes({ program, arguments: given }: { program: string; arguments: readonly string[] }): boolean {
  return (
    program === "yes" ||
    (oneOf("echo printf")(program) && /^(?:y|yes|delete|confirm)(?:\\n)?$/iu.test(given.at(-1) ?? ""))
  );
}

/** The program that does the work: `php artisan x` is artisan, `python -m twine` is twine. */
function called({ program, arguments: given }: CallSource): {
  program: string;
  given: readonly string[];
  shown?: string;
} {
  const other = Object.hasOwn(OTHER_NAMES, program) ? OTHER_NAMES[program] : undefined;
  if (other !== undefined) return { program: other[0] ?? program, given: [...other.slice(1), ...given] };
  if (INTERPRETERS(withoutVersion(program))) {
    const at = given.findIndex((word) => !word.startsWith("-"));
    const name = nameIn(at < 0 ? "" : (given[at] ?? ""));
    if (name !== undefined && (at === 0 || given[at - 1] === "-m" || !oneOf("-c -e -r")(given[at - 1] ?? "")))
      return { program: name, given: given.slice(at + 1), shown: `${program} ${given[at]}` };
  }
  return { program: nameIn(program) ?? program, given };
}

/** A program's name in the table: without its folder, an ending or a version. */
function nameIn(written: string): string | undefined {
  const base = written.slice(written.lastIndexOf("/") + 1);
  if (base === "" || isKnownProgram(base)) return base === "" ? undefined : base;
  if (!/[\d._]/u.test(base)) return undefined;
  const names = [
    base.replace(/\.(?:sh|py|phar|[cm]?js|rb|exe)$/u, ""),
    withoutVersion(base),
    base.replace(/[._][\w]+$/u, ""),
  ];
  return names.find((name) => name !== "" && isKnownProgram(name));
}

/** `k3s kubectl delete`, `symfony console x`. */
function namesTheSame(word: string | undefined, row: ProgramRow, program: string): boolean {
  return word !== undefined && word !== program && !word.includes(" ") && rowOf(word)?.name === row.name;
}

function readBy(
  row: ProgramRow | undefined,
  program: string,
  given: readonly string[],
  isGuessing: boolean,
): { options: Options; rows: ProgramRow[] } {
  const rows = row === undefined ? [] : [row];
  let path = row?.name ?? program;
  let taken = 0;
  const shapeAt = (operands: readonly string[]): OptionShape => {
    for (; taken < operands.length; taken++) {
      const below = row === undefined || rows.length <= taken ? undefined : rowOf(`${path} ${operands[taken]}`);
      if (below === undefined) continue;
      path = below.name;
      rows.push(below);
    }
    const last = rows.at(-1);
    const letters = last === undefined ? "" : [...last.values.keys()].filter((name) => name.length === 1).join("");
    const names = rows.flatMap(({ values }) => [...values.keys()].filter((name) => name.length > 1));
    return { letters, names };
  };
  return { options: readOptions(given, shapeAt, isGuessing), rows };
}
