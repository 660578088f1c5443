import { createRequire } from "node:module";
import { packageFile } from "../../kernel/files.ts";
import { isNear } from "../../kernel/text.ts";

/** The id of the command behind everything that may be typed for it, hidden commands too. */
export type Names = Readonly<Record<string, string>>;

/** A command that somebody typed. */
export interface TypedCommand {
  id: string;
  argv: string[];
}

export function readNames(): Names {
  return createRequire(packageFile("package.json"))("./dist/cli/commands.json") as Names;
}

/** The command that these words name, the longer one if two fit; undefined: somebody asks for help, or mistyped. */
export function findCommand(argv: readonly string[], names: Names): TypedCommand | undefined {
  if (asksForHelp(argv)) return undefined;
  const words = wordsOf(argv);
  for (let length = words.length; length > 0; length--) {
    const name = words.slice(0, length).join(":");
    const id = Object.hasOwn(names, name) ? names[name] : undefined;
    if (id === undefined) continue;
    if (isNearlyBelow(name, words[length] ?? "", names)) return undefined;
    return { id, argv: argv.slice(length) };
  }
  return undefined;
}

export function asksForHelp(argv: readonly string[]): boolean {
  return optionsOf(argv).some((word) => word === "--help" || word === "-h");
}

export function asksForJson(argv: readonly string[]): boolean {
  return optionsOf(argv).includes("--json");
}

/** The words after `--` belong to another program. */
function optionsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end < 0 ? argv : argv.slice(0, end);
}

/** The words in front of the first flag. */
export function wordsOf(argv: readonly string[]): string[] {
  const options = argv.findIndex((word) => word.startsWith("-"));
  return argv.slice(0, options < 0 ? argv.length : options);
}

export function isTopic(name: string, names: Names): boolean {
  return Object.keys(names).some((other) => other.startsWith(`${name}:`));
}

/** `log wyh` means `log why`: below a command that has commands, a word that is nearly one of them isn't an argument. */
function isNearlyBelow(name: string, word: string, names: Names): boolean {
  return Object.keys(names).some((other) => {
    const [below = "", ...deeper] = other.startsWith(`${name}:`) ? other.slice(name.length + 1).split(":") : [];
    return below !== "" && deeper.length === 0 && isNear(word, below);
  });
}

/** A command as `oclif.manifest.json` describes it: what help and completion are made from. */
export interface CommandFacts {
  id: string;
  aliases: string[];
  description: string;
  examples: string[];
  /** Works, but no page of the help lists it. */
  hidden?: boolean;
  /** False: it takes more words than its arguments name. */
  strict: boolean;
  args: Record<string, ArgFacts>;
  flags: Record<string, FlagFacts>;
  completes: Record<string, string>;
}

interface ArgFacts {
  name: string;
  description: string;
  required?: boolean;
  options?: string[];
}

export interface FlagFacts {
  name: string;
  char?: string;
  description: string;
  type: "boolean" | "option";
  allowNo?: boolean;
  required?: boolean;
  multiple?: boolean;
  helpValue?: string;
  helpGroup?: string;
  options?: string[];
  default?: string | number | boolean;
}

/** All commands, hidden ones included. */
export function readCommandFacts(): CommandFacts[] {
  const manifest = createRequire(packageFile("package.json"))("./oclif.manifest.json") as {
    commands: Record<string, CommandFacts>;
  };
  return Object.values(manifest.commands).sort((left, right) => (left.id < right.id ? -1 : 1));
}

/** `card:source:set` as a person types it. */
export function typed(id: string): string {
  return id.replaceAll(":", " ");
}

/** The first sentence of a command's description. */
export function headlineOf({ description }: Pick<CommandFacts, "description">): string {
  return description.split("\n")[0] ?? "";
}
