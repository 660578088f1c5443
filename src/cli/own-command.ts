import { createRequire } from "node:module";
import path from "node:path";
import { Config } from "@oclif/core/config";
import type { PJSON } from "@oclif/core/interfaces";
import { packageFile } from "../kernel/package-file.ts";
import type { DrwnCommand } from "./command.ts";

/** A command of drwn's that somebody typed, and what stands behind its name. */
interface OwnCommand {
  id: string;
  argv: string[];
}

/**
 * The command that these words name; undefined where oclif must be asked: for help, for what its plugins bring, for a mistake.
 * Of two names that fit it is the longer.
 */
export function findOwnCommand(argv: readonly string[]): OwnCommand | undefined {
  if (argv.includes("--help")) return undefined;
  const names = createRequire(packageFile("package.json"))("./dist/cli/commands.json") as Record<string, string>;
  const options = argv.findIndex((word) => word.startsWith("-"));
  const words = options < 0 ? argv.length : options;
  for (let length = words; length > 0; length--) {
    const name = argv.slice(0, length).join(":");
    if (Object.hasOwn(names, name)) return { id: names[name] ?? name, argv: argv.slice(length) };
  }
  return undefined;
}

/** Runs it as oclif would, which would first read all commands, look for plugins and load a theme. */
export async function runOwnCommand({ id, argv }: OwnCommand, pjson: PJSON): Promise<void> {
  const root = packageFile("");
  const load = createRequire(packageFile("package.json"));
  const { default: Own } = load(path.join(root, "dist/cli/commands", `${id.replaceAll(":", "/")}.cjs`)) as {
    default: { id: string; new (argv: string[], config: Config): DrwnCommand };
  };
  Own.id = id;
  await new Own(argv, bareConfig({ root, pjson })).start();
}

/** What a command asks of oclif's settings while it runs. */
function bareConfig(options: { root: string; pjson: PJSON }): Config {
  const config = new Config(options);
  config.bin = "drwn";
  // Hooks are what plugins bring.
  config.runHook = async () => ({ failures: [], successes: [] });
  return config;
}
