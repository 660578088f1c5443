import type { ReadCommand, ReadShellCommand, ShellCommand, Step } from "../shell/commands.ts";
import { UnreadableCommand } from "../shell/parse/scan.ts";
import { readShell } from "../shell/unwrap.ts";
import { fedArguments, type Loop, linesRead } from "./fed.ts";
import { resolvePlace } from "./places.ts";
import { isMake, madeFor, printedInto, scriptRunBy, shellTextsOfCode } from "./scripts.ts";

export type { Step } from "../shell/commands.ts";

const DEEPEST = 4;
/** More than anybody types. A limit, because commands are compared with one another. */
const MOST_STEPS = 1_000;
/** Nobody writes longer pipes. A limit, because each command of a pipe knows all commands before it. */
const LONGEST_PIPE = 40;
const CONTAINERS = ["docker", "podman", "nerdctl", "kubectl", "oc", "docker-compose", "podman-compose", "lxc", "incus"];
const MACHINES = [
  ...["ssh", "mosh", "vagrant", "autossh", "tsh", "ansible", "salt", "pssh", "pdsh", "adb", "multipass", "limactl"],
  ...["gcloud", "heroku", "fly", "flyctl", "railway"],
];
/** A loop over more lines is read as one command with all of them. */
const MOST_ROUNDS = 8;

/**
 * Every command in a text, in order, including those in code for interpreters. For a command without a program
 * (`> file`) the program is "". Throws for text that a shell would refuse.
 */
export function stepsOf(text: string, folder: string, depth = 0): Step[] {
  const made = new Map<ReadCommand, Step[]>();
  const steps = new Map<ReadShellCommand, Step>();
  const files = new Map<string, string>();
  const all: Step[] = [];
  let lines: readonly Loop[] = [];
  let here = folder;
  for (const found of readShell(text)) {
    const starter = found.starter === undefined ? undefined : steps.get(found.starter);
    const { fedBy } = found.read;
    const before =
      fedBy.length === 0 ? substituted(found.command, here, depth) : fedBy.flatMap((one) => made.get(one) ?? []);
    const feeders =
      before.length > 0
        ? [...new Set([...before, ...before.slice(0, LONGEST_PIPE).flatMap((one) => one.feeders)])].slice(
            0,
            LONGEST_PIPE,
          )
        : (starter?.feeders ?? []);
    for (const given of roundsOf(found.command.arguments, lines)) {
      const step = toStep(found, given, { folder: here, feeders, starter });
      if (files.size > 0) step.made = madeFor(step, files);
      steps.set(found, step);
      // A command's children write into the same pipe.
      for (let one: ReadShellCommand | undefined = found; one !== undefined; one = one.starter)
        made.set(one.read, [...(made.get(one.read) ?? []), step]);
      all.push(step);
      if (all.length > MOST_STEPS) throw new UnreadableCommand("it has too many commands");
      here = folderAfter(step);
      if (step.program === "read") lines = [...lines, linesRead(step)].filter(({ values }) => values.length > 0);
      if (depth < DEEPEST) all.push(...stepsInCode(step, depth));
      for (const [place, content] of printedInto(step)) files.set(place, content);
    }
  }
  return all;
}

/** `command < <(other)`, `make -f <(other)`: the commands in the parentheses feed it. */
function substituted({ program, arguments: given, redirections }: ShellCommand, folder: string, depth: number): Step[] {
  const targets = redirections.flatMap(({ operator, target }) => (operator === "<" ? [target] : []));
  const files = isMake(program) ? given.map((word) => word.replace(/^(?:-f|--(?:make)?file=)/u, "")) : [];
  const inner = [...targets, ...files].find((word) => word.startsWith("<("));
  return inner === undefined || depth >= DEEPEST ? [] : stepsOf(inner.slice(2, -1), folder, depth + 1);
}

function toStep(
  { command, read, literals, quoted, environment: variables }: ReadShellCommand,
  given: readonly string[],
  around: Pick<Step, "folder" | "feeders" | "starter">,
): Step {
  const environment = new Map(variables);
  const words = fedArguments(given, around.feeders, around.starter);
  const by = command.startedBy;
  const elsewhere = by.some((name) => CONTAINERS.includes(name))
    ? "container"
    : by.some((name) => MACHINES.includes(name))
      ? "machine"
      : undefined;
  const isCaptured = read.isCaptured || around.starter?.isCaptured === true;
  return { ...command, ...around, arguments: words, environment, elsewhere, isCaptured, literals, quoted, made: [] };
}

/**
 * The arguments for each round of the loops whose variables they use. If there are many rounds, one round with all
 * values.
 */
function roundsOf(given: readonly string[], loops: readonly Loop[], most = MOST_ROUNDS): (readonly string[])[] {
  const loop = loops.length === 0 ? undefined : loops.findLast(({ name }) => given.some((word) => names(word, name)));
  if (loop === undefined) return [given];
  const { values } = loop;
  const pattern = new RegExp(`\\$(?:${loop.name}\\b|\\{(!?)${loop.name}\\})`, "gu");
  // `${!name}` is the variable that the loop names.
  const put = (word: string, value: string) => word.replace(pattern, (_, by) => (by === "!" ? `$${value}` : value));
  if (values.length > most)
    return [given.flatMap((word) => (names(word, loop.name) ? values.map((value) => put(word, value)) : [word]))];
  const rest = loops.filter(({ name }) => name !== loop.name);
  return values.flatMap((value) =>
    roundsOf(
      given.map((word) => put(word, value)),
      rest,
      Math.floor(most / values.length),
    ),
  );
}

function names(word: string, variable: string): boolean {
  return word.includes("$") && new RegExp(`\\$(?:${variable}\\b|\\{!?${variable}\\})`, "u").test(word);
}

function folderAfter({ program, arguments: given, folder }: Step): string {
  if (program !== "cd" && program !== "pushd") return folder;
  const to = given.find((word) => !/^-[LPe@]+$|^--$/u.test(word));
  return to === undefined ? "~" : to === "-" ? "$OLDPWD" : resolvePlace(to, folder);
}

/** The commands of a script that the text itself has written, and the commands that code runs. */
function stepsInCode(step: Step, depth: number): Step[] {
  const script = scriptRunBy(step);
  const texts = script === undefined ? shellTextsOfCode(step) : [script];
  return texts.flatMap((text) => {
    const found = readable(text, step.folder, depth + 1);
    // Not copies: others of them have them as feeders.
    for (const inner of found) {
      inner.startedBy = [...step.startedBy, step.program, ...inner.startedBy];
      inner.elsewhere ??= step.elsewhere;
    }
    return found;
  });
}

/** The commands of a text that may be none: most literals in code aren't. */
export function readable(text: string, folder: string, depth = 0): Step[] {
  try {
    return stepsOf(text, folder, depth);
  } catch {
    return [];
  }
}

/** Whether a command runs in a container that was running before and stays afterwards. */
export function isInRunning(step: Step): boolean {
  if (step.elsewhere !== "container") return false;
  for (let one = step.starter; one !== undefined; one = one.starter)
    if (CONTAINERS.includes(one.program))
      return one.arguments.includes("exec") || [one.program, ...one.arguments].some((word) => /compose$/u.test(word));
  return false;
}
