import { once } from "../pattern/once.ts";
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

const rows = new Map<string, ProgramRow | undefined>();
const lineOf = linesOf(TABLE);

/**
 * Finds the line of a table whose names, before ` (` or ` |`, include this one. A call uses a few of the lines, and taking all of them
 * apart takes longer than the rest.
 */
export function linesOf(table: string): (name: string) => string | undefined {
  const lines = once(() => table.split("\n"));
  const names = once(() => table.replace(/ [(|].*/g, "").replaceAll("\n", ",\n, "));
  return (name) => {
    const at = names().indexOf(`, ${name},`);
    return at < 0 ? undefined : lines()[names().slice(0, at).split("\n").length - 1];
  };
}

/** Whether the table has a line for a program. */
export function isKnownProgram(name: string): boolean {
  return !name.includes(" ") && lineOf(name) !== undefined;
}

/** The line for a program or, with more words, for its subcommand. */
export function rowOf(name: string): ProgramRow | undefined {
  if (!rows.has(name)) {
    const line = lineOf(name);
    rows.set(name, line === undefined ? undefined : readRow(line));
  }
  return rows.get(name);
}

/** The options with values of a program, for `optionsOf`. */
export function shapeOf(name: string): OptionShape {
  const names = [...(rowOf(name)?.values.keys() ?? [])];
  return {
    letters: names.filter((one) => one.length === 1).join(""),
    names: names.filter((one) => one.length > 1),
  };
}

function readRow(line: string): ProgramRow {
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
    name: head.split(/, | \(/)[0] ?? "",
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
