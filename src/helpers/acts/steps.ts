import { type Loop, type ReadCommand, UnreadableCommand } from "../shell/scan.ts";
import { type ReadShellCommand, readShell, type ShellCommand } from "../shell/unwrap.ts";
import { shellTextsIn } from "./code.ts";
import { fedArguments } from "./fed.ts";
import { codeOf } from "./interpreters.ts";
import { expandBraces, resolvePlace } from "./places.ts";

/** A command of a shell text, with what is around it. */
export interface Step extends ShellCommand {
  /** The folder that it runs in, as far as the text tells. */
  folder: string;
  /** The variables that are set for it alone: `A=b command`. */
  environment: ReadonlyMap<string, string>;
  /** The commands whose output it reads, the nearest first: all that is before it in a pipe. */
  feeders: Step[];
  /** The command that starts it: `xargs`, `sudo`, `find`, `bash`. */
  starter: Step | undefined;
  /** Where it runs, if not here: on another machine, or in a container. */
  elsewhere: "machine" | "container" | undefined;
}

const DEEPEST = 4;
/** More than anybody types; each is compared with the others. */
const MOST_STEPS = 1_000;
/** Nobody writes longer ones, and each command of a pipe knows all before it. */
const LONGEST_PIPE = 40;
const CONTAINERS = ["docker", "podman", "nerdctl", "kubectl", "docker-compose", "lxc"];
const MACHINES = ["ssh", "mosh", "vagrant"];

/**
 * Every command of a text, in order, with those in the code that interpreters are given. A command without a program (`> file`) has an
 * empty one. Throws for text that a shell would refuse.
 */
export function stepsOf(text: string, folder: string, depth = 0): Step[] {
  const made = new Map<ReadCommand, Step[]>();
  const steps = new Map<ReadShellCommand, Step>();
  const all: Step[] = [];
  let here = folder;
  for (const found of readShell(text)) {
    const starter = found.starter === undefined ? undefined : steps.get(found.starter);
    const before = found.read.fedBy === undefined ? [] : (made.get(found.read.fedBy) ?? []);
    const feeders =
      before.length > 0 ? [...before, ...(before[0]?.feeders ?? [])].slice(0, LONGEST_PIPE) : (starter?.feeders ?? []);
    const step = toStep(found, { folder: here, feeders, starter });
    steps.set(found, step);
    made.set(found.read, [...(made.get(found.read) ?? []), step]);
    all.push(step);
    if (all.length > MOST_STEPS) throw new UnreadableCommand("it has too many commands");
    here = folderAfter(step);
    if (depth < DEEPEST) all.push(...stepsInCode(step, depth));
  }
  return all;
}

function toStep({ command, read }: ReadShellCommand, around: Pick<Step, "folder" | "feeders" | "starter">): Step {
  const environment = new Map(read.assignments.map(({ name, value }) => [name, value]));
  const given = command.arguments.flatMap((word) => valuesOf(word, read.loops)).flatMap(expandBraces);
  const words = fedArguments({ arguments: given, ...around });
  const by = command.startedBy;
  const elsewhere = by.some((name) => CONTAINERS.includes(name))
    ? "container"
    : by.some((name) => MACHINES.includes(name))
      ? "machine"
      : undefined;
  return { ...command, ...around, arguments: words, environment, elsewhere };
}

/** What the variable of a loop stands for, if the word has one. */
function valuesOf(word: string, loops: readonly Loop[]): string[] {
  if (loops.length === 0 || !word.includes("$")) return [word];
  const loop = loops.findLast(({ name }) => new RegExp(`\\$(?:${name}\\b|\\{${name}\\})`, "u").test(word));
  if (loop === undefined) return [word];
  const pattern = new RegExp(`\\$(?:${loop.name}\\b|\\{${loop.name}\\})`, "gu");
  return loop.values.flatMap(expandBraces).map((value) => word.replace(pattern, () => value));
}

function folderAfter({ program, arguments: given, folder }: Step): string {
  if (program !== "cd" && program !== "pushd" && program !== "Set-Location") return folder;
  const to = given.find((word) => !/^-[LPe@]+$|^--$/u.test(word));
  return to === undefined ? "~" : to === "-" ? "$OLDPWD" : resolvePlace(to, folder);
}

function stepsInCode(step: Step, depth: number): Step[] {
  const code = codeOf(step);
  if (code === undefined) return [];
  return shellTextsIn(code).flatMap((text) => {
    try {
      return stepsOf(text, step.folder, depth + 1).map((inner) => ({
        ...inner,
        startedBy: [...step.startedBy, step.program, ...inner.startedBy],
        elsewhere: inner.elsewhere ?? step.elsewhere,
      }));
    } catch {
      // Most literals in code are no commands.
      return [];
    }
  });
}
