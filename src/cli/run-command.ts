import { createRequire } from "node:module";
import path from "node:path";
import { Config } from "@oclif/core/config";
import type { PJSON } from "@oclif/core/interfaces";
import { packageFile } from "../kernel/package-file.ts";
import type { DrwnCommand } from "./command.ts";
import { growHeapAtOnce } from "./heap.ts";
import type { TypedCommand } from "./names/names.ts";

/** Commands with so many objects that the V8 flag saves more than it costs. */
const LARGE = new Set(["add", "doctor", "install", "report", "status", "update", "write"]);

/** Runs a command as oclif would, but without first reading all commands, looking for plugins and loading a theme. */
export async function startCommand({ id, argv }: TypedCommand, pjson: PJSON): Promise<void> {
  if (LARGE.has(id)) growHeapAtOnce();
  const root = packageFile("");
  const load = createRequire(packageFile("package.json"));
  const { default: Own } = load(path.join(root, "dist/cli/commands", `${id.replaceAll(":", "/")}.cjs`)) as {
    default: { id: string; new (argv: string[], config: Config): DrwnCommand };
  };
  Own.id = id;
  await new Own(argv, bareConfig({ root, pjson })).start();
}

/** What a running command needs of oclif's settings. */
function bareConfig(options: { root: string; pjson: PJSON }): Config {
  const config = new Config(options);
  config.bin = "drwn";
  // Only plugins have hooks.
  config.runHook = async () => ({ failures: [], successes: [] });
  return config;
}
