/** What a command is about: a project (also undefined), every folder of its user, or every user of the machine. */
export type CommandScope = "project" | "global" | "system" | undefined;

/** The commands that have `--global`, each with the person who gives it for every user; nobody: it has no `--system`. */
export const SCOPED_COMMANDS = {
  add: "root",
  allow: "nobody",
  "card trust": "root",
  "card untrust": "root",
  doctor: "anybody",
  explain: "anybody",
  install: "root",
  list: "anybody",
  log: "anybody",
  outdated: "root",
  pause: "root",
  remove: "root",
  report: "nobody",
  status: "anybody",
  trust: "root",
  uninstall: "root",
  update: "root",
  why: "anybody",
  write: "root",
} as const;

type ScopedCommand = keyof typeof SCOPED_COMMANDS;

interface Advised {
  command: ScopedCommand;
  args: readonly string[];
}

/** A sentence of drwn's with commands, which get their scope's flags when somebody is told. */
export class Advice {
  readonly parts: readonly (string | Advised)[];

  constructor(parts: readonly (string | Advised)[]) {
    this.parts = parts;
  }
}

export type Text = string | Advice;

/** A command with a scope. Those that have none are written as they are: `drwn key list`. */
export function drwn(command: ScopedCommand, ...args: readonly string[]): Advice {
  return new Advice([{ command, args }]);
}

/** A sentence around commands. */
export function advise(texts: TemplateStringsArray, ...inserted: readonly (Text | number)[]): Advice {
  const parts = inserted.flatMap((one, at) => [...partsOf(one), texts[at + 1] ?? ""]);
  return new Advice([texts[0] ?? "", ...parts]);
}

function partsOf(one: Text | number): readonly (string | Advised)[] {
  return one instanceof Advice ? one.parts : [String(one)];
}

/** The text as it is said of this scope. */
export function sayIn(scope: CommandScope, text: Text): string {
  return partsOf(text)
    .map((part) => (typeof part === "string" ? part : commandIn(scope, part)))
    .join("");
}

function commandIn(scope: CommandScope, { command, args }: Advised): string {
  const who = SCOPED_COMMANDS[command];
  const isWide = scope === "global" || (scope === "system" && who !== "nobody");
  const program = scope === "system" && who === "root" ? "sudo drwn" : "drwn";
  return [program, command, ...(isWide ? [`--${scope}`] : []), ...args].join(" ");
}

/** An answer whose advice is said of this scope, whatever the command is about that tells it. */
export function adviseIn<T>(scope: CommandScope, value: T): T {
  return sayAll(scope, value) as T;
}

function sayAll(scope: CommandScope, value: unknown): unknown {
  if (value instanceof Advice) return sayIn(scope, value);
  if (Array.isArray(value)) return value.map((item) => sayAll(scope, item));
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, sayAll(scope, item)]));
}

/** Whether it is commands of drwn's and nothing else, so that a person can run it as it is. */
export function isCommand(text: Text): boolean {
  const parts = partsOf(text).filter((part) => part !== "" && part !== " && ");
  return parts.length > 0 && parts.every((part) => typeof part !== "string" || part.startsWith("drwn "));
}

/** How a sentence calls what a command is about. */
export function placeIn(scope: CommandScope): string {
  return scope === "global" || scope === "system" ? `the ${scope} scope` : "this project";
}
