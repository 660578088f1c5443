import { positions } from "./functions.ts";
import { readCommands } from "./read-script.ts";
import { type Around, type ReadCommand, type Redirection, UnreadableCommand } from "./scan.ts";
import { type Nested, startedBy } from "./starters.ts";
import { textsIn } from "./texts-in.ts";

/** A simple command in a shell text. */
export interface ShellCommand {
  /** The last part of the path: `git` for `/usr/bin/git`. */
  program: string;
  /** The program as it is written, without quotes. */
  path: string;
  /** Without quotes. Parts that are only known at run time stay as they are written: `$x`, `$(ls)`, `*.ts`. */
  arguments: string[];
  redirections: Redirection[];
  /** The programs that start this one, the outermost first: `["sudo"]` for git in `sudo git push`. */
  startedBy: string[];
}

/** The same with its context: the command as it was read, and the command that started it. */
export interface ReadShellCommand {
  command: ShellCommand;
  read: ReadCommand;
  starter: ReadShellCommand | undefined;
}

const DEEPEST = 12;
/** Nobody types more at another program. */
const LONGEST_FOREIGN = 20_000;

/**
 * Every simple command in the text, each followed by those that it starts, as `sudo`, `env`, `xargs`, `bash -c` and
 * others do.
 */
export function commandsOf(text: string): ShellCommand[] {
  return readShell(text).flatMap(({ command }) => (command.path === "" ? [] : [command]));
}

/** The same, including commands without a program, which only redirect (`> file`) or assign. */
export function readShell(text: string): ReadShellCommand[] {
  return readCommands(text).flatMap((read) => unwrap(read, undefined));
}

function unwrap(read: ReadCommand, starter: ReadShellCommand | undefined): ReadShellCommand[] {
  const [path = "", ...given] = read.words;
  const starters = starter === undefined ? [] : [...starter.command.startedBy, starter.command.program];
  if (starters.length > DEEPEST) throw new UnreadableCommand("it is nested too deeply");
  const program = nameOf(path);
  const command = { program, path, arguments: given, redirections: read.redirections, startedBy: starters };
  const own: ReadShellCommand = { command, read, starter };
  const texts = textsIn(program, read).map((text) => ({ text, isForeign: true }));
  const nested = path === "" ? texts : [...startedBy(program, given, read), ...texts];
  const called = read.calls === undefined ? [] : readCommands(read.calls.text, read.calls);
  const inner = [...called, ...nested.flatMap((next) => readNested(fedBy(next, starter), read))];
  return [own, ...inner.flatMap((next) => unwrap(next, own))];
}

/** `xargs sh -c 'rm "$@"' _`: what xargs adds becomes arguments of the text. `{}` stands for it. */
function fedBy(nested: Nested, starter: ReadShellCommand | undefined): Nested {
  if (starter?.command.program !== "xargs" || !("text" in nested) || nested.positions === undefined) return nested;
  return { ...nested, positions: [nested.positions[0] ?? "sh", ...nested.positions.slice(1), "{}"] };
}

function readNested(nested: Nested, command: ReadCommand): ReadCommand[] {
  // Variables that are set for a program are also set for everything that it starts.
  if ("words" in nested) {
    const assignments = [...command.assignments, ...(nested.sets ?? []).map(assignment)];
    return [{ ...command, assignments, words: nested.words, calls: undefined }];
  }
  const own = command.assignments.map(({ name, value }) => [name, value] as const);
  const variables = [...command.exported, ...own, ...positions(nested.positions ?? [])];
  const { loops } = command;
  const exported = variables.map(([name]) => name);
  const around = { variables, exported, loops };
  if (nested.isForeign !== true) return readCommands(nested.text, around);
  return readPieces(nested.text, around);
}

/**
 * A text that may not be for this kind of shell: if it cannot be read as a whole, each of its parts is read alone. None of them fails, since
 * its own program may take it.
 */
function readPieces(text: string, around: Around): ReadCommand[] {
  try {
    return readCommands(text, around);
  } catch (error) {
    if (!(error instanceof UnreadableCommand)) throw error;
    const pieces =
      text.length > LONGEST_FOREIGN ? [] : text.split(/[;\n|&(){}<>`]/u).filter((one) => one.trim() !== "");
    return pieces.flatMap(
      (piece) => readPiece(piece, around) ?? readPiece(piece.replace(/["'\\]/gu, " "), around) ?? [],
    );
  }
}

function readPiece(piece: string, around: Around): ReadCommand[] | undefined {
  try {
    return readCommands(piece, around);
  } catch {
    return undefined;
  }
}

function assignment(word: string): ReadCommand["assignments"][number] {
  const at = word.indexOf("=");
  return { name: word.slice(0, at), value: word.slice(at + 1) };
}

/** The last part of a path, on any system. A path that is only known at run time stays as it is. */
function nameOf(path: string): string {
  if (/^[$`]/u.test(path)) return path;
  const name = path.split(/[\\/]/u).at(-1) ?? path;
  return name.toLowerCase().endsWith(".exe") ? name.slice(0, -".exe".length) : name;
}
