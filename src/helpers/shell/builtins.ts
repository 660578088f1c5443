import { oneOf } from "../pattern/one-of.ts";
import { namesAssigned } from "./arithmetic.ts";
import type { ReadCommand } from "./commands.ts";
import { separatorAt } from "./expand.ts";
import { hasUnknown, unquoted } from "./parse/marks.ts";
import { printedBy, printfText } from "./print.ts";
import { type Held, isList, MOST_TEXTS, type Shell } from "./state.ts";

const NAME = /^[A-Za-z_]\w*$/;
/** Names that say what is in them, unless the text itself sets them. */
const SPEAKING = () => /^(?:HOME|PWD|OLDPWD)$|TMP|TEMP|BUILD|DIST|OUT|CACHE|COVERAGE/iu;

/** Sets what `local`, `export`, `declare` and their like say of names. `keep` keeps the values that they assign. */
export function declareNames(command: ReadCommand | undefined, evaluator: Shell, keep: () => void): void {
  const [program = "", ...given] = command?.words ?? [];
  const { state, context } = evaluator;
  const flags = given.filter((word) => /^-\w/.test(word)).join("");
  const assigned = command?.assignments ?? [];
  const bare = given.filter((word) => NAME.test(word));
  const isLocal = program === "local" || (oneOf("declare typeset")(program) && !flags.includes("g"));
  if (isLocal) for (const name of [...assigned.map(({ name: one }) => one), ...bare]) context.local?.(name);
  if (flags.includes("f")) {
    for (const name of bare) evaluator.exportedFunctions.add(name);
    return;
  }
  if (flags.includes("n") && program !== "export") {
    for (const { name, value } of assigned) if (NAME.test(value)) state.refer(name, value);
    return;
  }
  if (isLocal && context.local !== undefined) for (const name of bare) state.assign(name, [null]);
  keep();
  const isCalculated = /[iulc]/.test(flags) && !oneOf("export readonly")(program);
  for (const { name, value } of assigned)
    if (isCalculated && !/^\d*$/.test(value)) state.assign(name, [state.unknown(name)]);
  if (program === "export" || flags.includes("x"))
    for (const name of [...assigned.map(({ name: one }) => one), ...bare])
      state.export(name, !(program === "export" && flags.includes("n")));
}

/** What a command of the shell itself does to its variables and functions. */
export function applyBuiltin(command: ReadCommand, evaluator: Shell): void {
  const words = command.words.map(unquoted);
  while (oneOf("builtin command")(words[0] ?? "") && !words[1]?.startsWith("-")) words.shift();
  const [program = "", ...given] = words;
  const { state } = evaluator;
  switch (program) {
    case "alias":
      for (const word of given)
        if (word.indexOf("=") > 0) state.define(word.slice(0, word.indexOf("=")), [word.slice(word.indexOf("=") + 1)]);
      break;
    case "hash":
      if (given[0] === "-p" && given[1] !== undefined && given[2] !== undefined) state.define(given[2], [given[1]]);
      break;
    case "shift":
      state.assign(
        "@",
        state.valuesOf("@").map((value) => shifted(value, Number(given[0] ?? 1))),
      );
      break;
    case "set":
      setArguments(given, evaluator, command);
      break;
    case "unset":
      for (const word of given) unset(word, given[0] === "-f", evaluator);
      break;
    case "read":
      readLine(given, { ...command, words }, evaluator);
      break;
    case "mapfile":
    case "readarray":
      readLines(given, command, evaluator);
      break;
    case "printf":
      if (given[0] === "-v") assignPrinted(given, evaluator);
      break;
    case "getopts":
      for (const name of [given[1] ?? "", "OPTARG", "OPTIND"])
        if (NAME.test(name)) state.assign(name, [state.unknown(name)]);
      break;
    case "let":
      for (const name of namesAssigned(given.join(" "))) state.assign(name, [state.unknown(name)]);
      break;
    default:
  }
}

function shifted(value: Held, count: number): Held {
  if (!isList(value) || !Number.isInteger(count)) return undefined;
  return count > value.values.length ? value : { values: value.values.slice(count) };
}

/** `set -- a b`, `set a b`. */
function setArguments(given: readonly string[], evaluator: Shell, { words }: ReadCommand): void {
  let at = 0;
  for (; at < given.length && /^[-+]./.test(given[at] ?? "") && given[at] !== "--"; at++)
    if (/^[-+]\w*o$/.test(given[at] ?? "")) at++;
  if (given[at] === "--") at++;
  else if (at >= given.length) return;
  const marked = words.slice(words.length - given.length);
  evaluator.state.assign("@", [{ values: marked.slice(at).map((word) => evaluator.listed(word)) }]);
}

function unset(word: string, isFunction: boolean, { state }: Shell): void {
  if (NAME.test(word) && isFunction) state.define(word, []);
  else if (NAME.test(word)) state.assign(word, [null]);
  else if (/^[A-Za-z_]\w*\[/.test(word)) state.assign(word.slice(0, word.indexOf("[")), [undefined]);
}

function assignPrinted([, name = "", ...words]: readonly string[], { state }: Shell): void {
  const base = /^[A-Za-z_]\w*/.exec(name)?.[0];
  if (base === undefined) return;
  const text = base === name ? printfText(words) : undefined;
  state.assign(base, [text ?? state.unknown(base)]);
}

/** The lines that a command reads, if the text shows them. */
function inputOf({ redirections, fedBy }: ReadCommand, evaluator: Shell): string[] | undefined {
  const texts = redirections.flatMap(({ operator, target, body }) =>
    operator === "<<<" ? [`${unquoted(target)}\n`] : operator.startsWith("<") ? [body] : [],
  );
  const fed =
    texts.length > 0 ? texts : fedBy.slice(0, 1).map((one) => printedBy(one, (text) => evaluator.listed(text)));
  const [text] = fed;
  // Of a group, which may print more, nobody knows the order.
  if (text === undefined || (texts.length === 0 && fedBy.length > 1)) return undefined;
  return text.split("\n").slice(0, text.endsWith("\n") ? -1 : undefined);
}

const READ_OPTION = () => /^-[a-zA-Z]*([dinNptua])$/;

function readLine(given: readonly string[], command: ReadCommand, evaluator: Shell): void {
  const { state } = evaluator;
  let at = 0;
  let flags = "";
  for (; at < given.length && /^-./.test(given[at] ?? ""); at++) {
    flags += given[at] ?? "";
    if (READ_OPTION().test(given[at] ?? "")) at++;
  }
  const listName = flags.includes("a") ? given[at - 1] : undefined;
  const names = listName === undefined ? given.slice(at).filter((word) => NAME.test(word)) : [listName];
  const all = /[dinNtue]/.test(flags) ? undefined : inputOf(command, evaluator);
  const lines = all !== undefined && !flags.includes("r") && all.some((line) => line.includes("\\")) ? undefined : all;
  const given_ = names.length === 0 && listName === undefined ? ["REPLY"] : names;
  if (lines === undefined || lines.length > MOST_TEXTS) {
    for (const name of given_) state.assign(name, [SPEAKING().test(name) ? state.unknown(name) : undefined]);
    return;
  }
  const set = command.assignments.find(({ name }) => name === "IFS")?.value;
  const [held] = state.valuesOf("IFS");
  const separators = set ?? (typeof held === "string" ? held : " \t\n");
  // The last round of a loop finds no more lines.
  const isOwn = command.redirections.some(
    (one) => one.operator.startsWith("<") && !evaluator.context.input.includes(one),
  );
  const read = isOwn ? lines.slice(0, 1) : [...lines, ""];
  const values = read.map((line) => (listName === undefined ? splitLine(line, separators, given_.length) : [line]));
  for (const [place, name] of given_.entries()) {
    const some: Held[] = values.map((fields) =>
      hasUnknown(fields.join("")) && given_.length > 1 ? undefined : (fields[place] ?? ""),
    );
    state.assign(
      name,
      listName === undefined
        ? some
        : read.map((line) => ({ values: splitLine(line, separators, Number.POSITIVE_INFINITY) })),
    );
  }
}

/** The fields of a line; the last of so many gets the rest. */
function splitLine(line: string, separators: string, count: number): string[] {
  const isBlank = (sign: string) => separators.includes(sign) && /[ \t\n]/.test(sign);
  const trim = (text: string) => {
    let [from, to] = [0, text.length];
    while (from < to && isBlank(text[from] ?? "")) from++;
    while (to > from && isBlank(text[to - 1] ?? "")) to--;
    return text.slice(from, to);
  };
  const fields: string[] = [];
  let rest = trim(line);
  while (rest !== "" && fields.length < count - 1) {
    let end = 0;
    while (end < rest.length && separatorAt(rest, end, separators) === "") end++;
    fields.push(rest.slice(0, end));
    rest = rest.slice(end + separatorAt(rest, end, separators).length);
  }
  if (rest !== "") fields.push(trim(rest));
  return fields;
}

/** `mapfile -t list`. */
function readLines(given: readonly string[], command: ReadCommand, evaluator: Shell): void {
  const last = given.at(-1) ?? "MAPFILE";
  const name = NAME.test(last) && !/^-[a-zA-Z]*[dnOsuCc]$/.test(given.at(-2) ?? "") ? last : "MAPFILE";
  const isPlain = given.slice(0, -1).every((word) => word === "-t");
  const lines = isPlain ? inputOf(command, evaluator) : undefined;
  const values = given.includes("-t") ? lines : lines?.map((line) => `${line}\n`);
  evaluator.state.assign(name, [values === undefined ? undefined : { values }]);
}
