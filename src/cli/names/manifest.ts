import { createRequire } from "node:module";
import { packageFile } from "../../kernel/package-file.ts";

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
