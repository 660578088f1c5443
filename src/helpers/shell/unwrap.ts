import { oneOf, oneOfAnyCase } from "../pattern/one-of.ts";
import { fromCmd } from "./cmd.ts";
import type { ReadCommand, ReadShellCommand, ShellCommand } from "./commands.ts";
import { ShellReader, type WholeReading } from "./evaluate.ts";
import { hasUnknown, isLiteral, Unknowns, unquoted, wellFormed } from "./parse/marks.ts";
import { parseScript } from "./parse/parse-script.ts";
import { UnreadableCommand } from "./parse/scan.ts";
import { fromPowerShell } from "./powershell.ts";
import { textForShell } from "./shell-arguments.ts";
import { isShell, isWindowsShell, type Nested, startedBy } from "./starters.ts";
import { textsIn } from "./texts-in.ts";

const DEEPEST = 12;
/** Nobody types more at another program. */
const LONGEST_FOREIGN = 20_000;

/**
 * Every simple command in the text, each followed by those that it starts, as `sudo`, `env`, `xargs`, `bash -c` and
 * others do. A command whose words may have several texts is there once for each.
 */
export function commandsOf(text: string): ShellCommand[] {
  return readShell(text).flatMap(({ command }) => (command.path === "" ? [] : [command]));
}

/**
 * The same, including commands without a program, which only redirect (`> file`) or assign. Throws an
 * `UnreadableCommand` for text that a shell would refuse.
 */
export function readShell(text: string): ReadShellCommand[] {
  const reading: WholeReading = {
    unknowns: new Unknowns(),
    found: [],
    printed: new Map(),
    aliases: new Map(),
    take: (read, evaluator) => unwrap(read, evaluator, evaluator.context.starter),
    counts: { calls: 0, repeats: 0, commands: 0 },
  };
  new ShellReader(reading).read(wellFormed(text), undefined);
  return reading.found;
}

function unwrap(read: ReadCommand, evaluator: ShellReader, starter: ReadShellCommand | undefined): void {
  const startedByAll = starter === undefined ? [] : [...starter.command.startedBy, starter.command.program];
  if (startedByAll.length > DEEPEST) throw new UnreadableCommand("it is nested too deeply");
  const own = shown(read, evaluator, { starter, startedBy: startedByAll });
  const { program, path } = own.command;
  evaluator.reading.found.push(own);
  const [, ...given] = read.words;
  if (path !== "" && starter === evaluator.context.starter) evaluator.call(path, read, own);
  const plain = { ...read, words: read.words.map(unquoted) };
  const found = [
    ...textsIn(program, plain),
    ...(program === "git" ? aliasOf(plain.words, evaluator.reading.aliases) : []),
  ];
  const texts = found.map((text) => ({ text, isForeign: true }));
  const nested = path === "" ? texts : [...startedBy(program, given, read), ...handed(own, evaluator), ...texts];
  for (const next of nested) start(fedBy(next, starter), read, { evaluator, own });
}

/** What `git x` runs after `git config alias.x '!…'`, which it notes. */
function aliasOf([, ...given]: readonly string[], aliases: Map<string, string[]>): string[] {
  const at = given.findIndex((word) => word.startsWith("alias."));
  const [key = "", text = ""] = at < 0 ? [] : given.slice(at);
  const known = aliases.get(key) ?? [];
  if (text.startsWith("!")) aliases.set(key, known);
  if (text.startsWith("!") && !known.includes(text.slice(1))) known.push(text.slice(1));
  const name = given.find((word, index) => !word.startsWith("-") && !oneOf("-c -C")(given[index - 1] ?? ""));
  return aliases.get(`alias.${name}`) ?? [];
}

/** What a shell reads of `<(…)`, which the text shows: as its script, its input, or the script of its start. */
function handed({ command: { program }, read }: ReadShellCommand, { reading, state }: ShellReader): Nested[] {
  if (!isShell(program) && program !== "source" && program !== ".") return [];
  const script = read.words.slice(1).find((word) => !/^[-+]./u.test(word));
  const targets = read.redirections.filter(({ operator }) => operator === "<").map(({ target }) => target);
  const texts = [script ?? "", ...targets].flatMap((one) => reading.printed.get(one) ?? []);
  const own = read.assignments.flatMap(({ name, value }) => (oneOf("ENV BASH_ENV")(name) ? [value] : []));
  const starts = !isShell(program) ? [] : own.length > 0 ? own : state.valuesOf("BASH_ENV");
  const files = starts.flatMap((file) => (typeof file === "string" ? [`. ${file}`] : []));
  return [...texts, ...files].map((text) => ({ text }));
}

function shown(
  read: ReadCommand,
  { reading: { unknowns }, state }: ShellReader,
  by: { starter: ReadShellCommand | undefined; startedBy: string[] },
): ReadShellCommand {
  const { redirections, assignments } = read;
  const [path = "", ...given] = read.words;
  const written = (text: string) => unknowns.written(text);
  const program = nameOf(written(path));
  const command = {
    ...{ program, path: written(path), arguments: given.map(written), startedBy: by.startedBy },
    redirections: redirections.map((one) => ({
      ...one,
      target: written(one.target),
      ...(one.body === undefined ? {} : { body: written(one.body) }),
    })),
  };
  const exported = state.exported().flatMap(([name, values]) => {
    const last = values.at(-1);
    return typeof last === "string" ? [[name, written(last)] as const] : [];
  });
  const own = assignments.map(({ name, value }) => [name, written(value)] as const);
  const texts = [...read.words, ...redirections.flatMap(({ target, body = "" }) => [target, body])];
  const literals = texts
    .filter((text) => !hasUnknown(text))
    .map(unquoted)
    .filter((text) => /[$`<]/u.test(text));
  const letters = texts.filter(isLiteral).map(unquoted);
  // `rm '*' *`: the guards see both as one.
  const others = letters.length === 0 ? [] : texts.filter((text) => !isLiteral(text)).map(written);
  const quoted = letters.filter((text) => !others.includes(text));
  return { command, read, starter: by.starter, literals, quoted, environment: [...exported, ...own] };
}

/** `xargs sh -c 'rm "$@"' _`: what xargs adds becomes arguments of the text. `{}` stands for it. */
function fedBy(nested: Nested, starter: ReadShellCommand | undefined): Nested {
  if (starter?.command.program !== "xargs" || !("text" in nested) || nested.positions === undefined) return nested;
  // `xargs -I{} sh -c '{}'` runs what xargs reads.
  if (unquoted(nested.text) === "{}") return textForShell([], starter.read)[0] ?? nested;
  // Without other words the first one is `$0`.
  const { positions } = nested;
  return { ...nested, positions: positions.length === 0 ? ["{}", "{}"] : [...positions, "{}"] };
}

function start(nested: Nested, read: ReadCommand, by: { evaluator: ShellReader; own: ReadShellCommand }): void {
  const { evaluator, own } = by;
  // Variables that are set for a program are also set for everything that it starts.
  if ("words" in nested) {
    const assignments = [...read.assignments, ...(nested.sets ?? []).map(assignment)];
    unwrap({ ...read, assignments, words: nested.words }, evaluator, own);
    return;
  }
  const given = unquoted(nested.text);
  const { program } = own.command;
  const text = isWindowsShell(program) ? posixOf(program, given) : given;
  if (evaluator.isOneOfSeveral && nested.isForeign !== true && !isReadable(text)) return;
  if (program === "trap") evaluator.atEnd.push({ text, starter: own });
  if (program === "eval" || program === "trap") evaluator.within({ starter: own }, () => evaluator.runText(text));
  else
    for (const piece of nested.isForeign === true ? piecesOf(text) : [text])
      childOf(evaluator, read, nested).read(piece, own);
}

/** What PowerShell or cmd would run, as a POSIX shell's; as far as it can't be taken apart, as it stands. */
function posixOf(program: string, given: string): string {
  const read = (oneOfAnyCase("cmd")(program) ? fromCmd : fromPowerShell)(given);
  if (read === undefined && given.length > LONGEST_FOREIGN)
    throw new UnreadableCommand("it is too long for PowerShell");
  return read ?? given.replaceAll("\\", "\\\\");
}

/** The shell that a command starts, with the variables that it hands on. */
function childOf(
  { reading, state, exportedFunctions }: ShellReader,
  read: ReadCommand,
  { positions }: { positions?: string[] },
): ShellReader {
  const child = new ShellReader(reading);
  for (const [name, values] of state.exported()) {
    child.state.assign(name, values);
    child.state.export(name, true);
  }
  for (const { name, value } of read.assignments) {
    child.state.assign(name, [value]);
    child.state.export(name, true);
  }
  for (const name of exportedFunctions) child.state.define(name, state.bodiesOf(name));
  const [zeroth, ...given] = positions ?? [];
  if (zeroth !== undefined) child.state.assign("0", [unquoted(zeroth)]);
  child.state.assign("@", [{ values: given.map(unquoted) }]);
  return child;
}

/**
 * A text that may not be for this kind of shell: if it cannot be read as a whole, each of its parts is read alone. None of them fails, since
 * its own program may take it.
 */
function piecesOf(text: string): string[] {
  if (isReadable(text)) return [text];
  const pieces = text.length > LONGEST_FOREIGN ? [] : text.split(/[;\n|&(){}<>`]/u).filter((one) => one.trim() !== "");
  return pieces.flatMap((piece) => [piece, piece.replace(/["'\\]/gu, " ")].find(isReadable) ?? []);
}

function isReadable(text: string): boolean {
  try {
    parseScript(text);
    return true;
  } catch {
    return false;
  }
}

function assignment(word: string): ReadCommand["assignments"][number] {
  const at = word.indexOf("=");
  return { name: word.slice(0, at), value: unquoted(word.slice(at + 1)) };
}

/** The last part of a path, on any system. A path that is only known at run time stays as it is. */
function nameOf(path: string): string {
  if (path.startsWith("$") || path.startsWith("`")) return path;
  // zsh finds the program that is named so: `=rm`.
  if (path.startsWith("=") && /^=[\w.+-]+$/u.test(path)) return path.slice(1);
  const name = path.replaceAll("\\", "/").split("/").at(-1) ?? path;
  return name.toLowerCase().endsWith(".exe") ? name.slice(0, -".exe".length) : name;
}
