import { type OptionShape, withoutDashes } from "./options.ts";
import { TABLE } from "./table.ts";

export type ProgramKind =
  | "service"
  | "manager"
  | "cluster"
  | "containers"
  | "data"
  | "disk"
  | "backup"
  | "local"
  | "net"
  | "files"
  | "build"
  | "shell"
  | "process"
  | "vcs"
  | "plain";
export type ActClass =
  | "destroys"
  | "publishes"
  | "deploys"
  | "applies"
  | "reveals"
  | "disables"
  | "unguards"
  | "opens"
  | "serves"
  | "escalates"
  | "runs"
  | "sends"
  | "fetches"
  | "keeps";
/** What the value of an option is: see the table. */
export type ValueKind = "place" | "read" | "written" | "command" | "code" | "secret" | "plain";

/** A line of the table. */
export interface ProgramRow {
  /** The first name: `docker` or `docker compose`. */
  name: string;
  kind: ProgramKind | undefined;
  /** Options with a value, without dashes (one is left for `-chdir`), and what the value is. */
  values: ReadonlyMap<string, ValueKind>;
  /** Variables of the environment that say where it acts. */
  variables: readonly string[];
  /** Variables that hold more arguments. */
  adding: readonly string[];
  /** Flags with which it only looks, those that answer its question, and those that mean nothing of the kind. */
  looks: readonly string[];
  answers: readonly string[];
  others: readonly string[];
  /** Operands may say where it acts. */
  isPlaced: boolean;
  classes: ReadonlyMap<ActClass, readonly string[]>;
}

const KINDS: Readonly<Record<string, ValueKind>> = {
  "@": "place",
  "<": "read",
  ">": "written",
  "!": "command",
  "%": "code",
  "*": "secret",
};

const lines = new Map<string, string | undefined>();
const rows = new Map<string, ProgramRow>();

/** Whether the table has a line for a program. */
export function isKnownProgram(name: string): boolean {
  return !name.includes(" ") && lineOf(name) !== undefined;
}

/** Found in the text of the table: a call uses a few of its lines, and cutting all of them takes longer than the rest. */
function lineOf(name: string): string | undefined {
  if (!lines.has(name)) lines.set(name, findLine(name));
  return lines.get(name);
}

function findLine(name: string): string | undefined {
  for (const before of ["\n", " "])
    for (let at = TABLE.indexOf(`${before}${name} `); at >= 0; at = TABLE.indexOf(`${before}${name} `, at + 1)) {
      const start = TABLE.lastIndexOf("\n", at) + 1;
      const line = TABLE.slice(start, TABLE.indexOf("\n", start));
      const names = namesOf(line);
      const isOfSubcommand = TABLE.indexOf(`\n${names[0]} `) + 1 < start;
      if (isOfSubcommand ? names.join(" ") === name : names.includes(name)) return line;
    }
  return undefined;
}

/** The names of a line; of a subcommand's line, whose program has been before, the words. */
function namesOf(line: string): string[] {
  const ends = [" (", " |"].map((mark) => line.indexOf(mark)).filter((at) => at >= 0);
  return line
    .slice(0, Math.min(line.length, ...ends))
    .split(" ")
    .filter((name) => name !== "");
}

/** The line for a program or, with more words, for its subcommand. */
export function rowOf(name: string): ProgramRow | undefined {
  const known = rows.get(name);
  if (known !== undefined) return known;
  const line = lineOf(name);
  if (line === undefined) return undefined;
  const row = readRow(name.includes(" ") ? name : (namesOf(line)[0] ?? name), line);
  rows.set(name, row);
  return row;
}

/** The options with values of a program, for `optionsOf`. */
export function shapeOf(name: string): OptionShape {
  const names = [...(rowOf(name)?.values.keys() ?? [])];
  return {
    letters: names.filter((one) => one.length === 1).join(""),
    names: names.filter((one) => one.length > 1),
  };
}

function readRow(name: string, line: string): ProgramRow {
  const [head = "", options = "", ...classes] = line.split("|").map((part) => part.trim());
  const values = new Map<string, ValueKind>();
  const variables: string[] = [];
  const adding: string[] = [];
  const flags: Record<string, string[]> = { "?": [], "~": [], ".": [] };
  for (const token of options.split(" ")) {
    const end = token.slice(-1);
    const mark = "@<>!%*?~.&".includes(end) ? end : "";
    const option = mark === "" ? token : token.slice(0, -1);
    const plain = withoutDashes(option);
    if (mark === "&") adding.push(option.slice(1));
    else if (option.startsWith("$")) variables.push(option.slice(1));
    else if (flags[mark] !== undefined) flags[mark].push(plain);
    else if (option.startsWith("-")) values.set(plain, KINDS[mark] ?? "plain");
  }
  return {
    name,
    kind: head.endsWith(")") ? (head.slice(head.lastIndexOf("(") + 1, -1) as ProgramKind) : undefined,
    values,
    variables,
    adding,
    looks: flags["?"] ?? [],
    answers: flags["~"] ?? [],
    others: flags["."] ?? [],
    isPlaced: options.split(" ").includes("@"),
    classes: new Map(
      classes.map((one) => {
        const at = one.indexOf(" ");
        return [one.slice(0, at) as ActClass, one.slice(at + 1).split(", ")] as const;
      }),
    ),
  };
}
