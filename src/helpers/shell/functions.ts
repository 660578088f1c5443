import { type ReadCommand, type Scan, UnreadableCommand } from "./scan.ts";
import { forget, hold, printfText } from "./values.ts";

/** Functions that call each other could go on for ever. Nobody types this many calls or names. */
const MOST_CALLS = 300;
const MOST_NAMES = 2_000;

/** Notes `alias name='text'` as a function that gets the rest of the line. */
function noteAliases({ functions }: Scan, given: readonly string[]): void {
  for (const word of given) {
    const at = word.indexOf("=");
    if (at > 0) functions.set(word.slice(0, at), `${word.slice(at + 1)} "$@"`);
  }
}

/** For a call of a function or an alias that the same text defines: its body, with the arguments. */
export function callIn(
  { functions, variables, exported, loops, calls }: Scan,
  { words: [name, ...given], assignments }: ReadCommand,
): ReadCommand["calls"] {
  const text = name === undefined ? undefined : functions.get(name);
  if (name === undefined || text === undefined) return undefined;
  if (++calls.made > MOST_CALLS || functions.size + variables.size > MOST_NAMES)
    throw new UnreadableCommand("its functions are too many");
  const others = new Map(functions);
  // Recursion adds nothing to the function's first round.
  others.delete(name);
  const set = [...variables, ...assignments.map((one) => [one.name, one.value] as const)].filter(
    ([one]) => !isPosition(one),
  );
  return { text, variables: [...set, ...positions([name, ...given])], exported, functions: others, loops, calls };
}

/** The variables `$0`, `$1` and so on, `$@` and `$*`. */
export function positions(values: readonly string[]): (readonly [string, string])[] {
  const each = values.map((value, place) => [String(place), value] as const);
  const all = values.slice(1).join(" ");
  return [...each, ["@", all], ["*", all]];
}

/** The arguments one by one, as in `"$@"`. */
export function argumentsIn(variables: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (let value = variables.get("1"); value !== undefined; value = variables.get(String(found.length + 1)))
    found.push(value);
  return found;
}

/** Programs that give variables values which nobody can read in the text. */
const SETTING = /^(?:read|mapfile|readarray|getopts|unset|let|eval)$/u;
const NAME = /^[A-Za-z_]\w*$/u;

/** Notes the effect on later commands of `set -- a b`, `shift`, `alias`, `export x`, and of what gives variables new values. */
export function noteOwn(scan: Scan, [program = "", ...given]: readonly string[]): void {
  if (program === "alias") noteAliases(scan, given);
  else if (program === "shift") setArguments(scan.variables, argumentsIn(scan.variables).slice(Number(given[0] ?? 1)));
  else if (program === "set" && given[0] === "--") setArguments(scan.variables, given.slice(1));
  else if (
    program === "export" ||
    (/^(?:declare|typeset)$/u.test(program) && given.some((word) => /^-\w*x/u.test(word)))
  )
    for (const word of given) scan.exported.add(word.split(/\+?=/u, 1)[0] ?? "");
  else if (program === "printf" && given[0] === "-v") hold(scan, given[1] ?? "", [printfText(given.slice(2))]);
  else if (SETTING.test(program)) for (const name of namesSet(program, given)) forget(scan, name);
}

function namesSet(program: string, given: readonly string[]): string[] {
  if (program === "eval" || program === "let")
    return [...given.join(" ").matchAll(/([A-Za-z_]\w*)(?:\+\+|--|[-+*/%|&^]?=)/gu)].map(([, name = ""]) => name);
  return given.filter((word) => NAME.test(word));
}

/** The variables that a program gets. What `eval` and `trap` run, the same shell runs. */
export function handedOn({ variables, exported }: Scan, program = ""): (readonly [string, string])[] {
  const isOwn = program === "eval" || program === "trap";
  return [...variables].filter(([name]) => isOwn || exported.has(name) || name === "HOME" || name === "PATH");
}

function setArguments(variables: Map<string, string>, left: readonly string[]): void {
  for (const name of [...variables.keys()].filter((one) => isPosition(one) && one !== "0")) variables.delete(name);
  for (const [name, value] of positions([variables.get("0") ?? "", ...left])) variables.set(name, value);
}

function isPosition(name: string): boolean {
  return /^[\d@*]/u.test(name);
}
