import { createRequire } from "node:module";
import { flush } from "@oclif/core/flush";
import type { PJSON } from "@oclif/core/interfaces";
import { run } from "@oclif/core/run";
import { packageFile } from "../kernel/package-file.ts";
import { reportFailure } from "./command.ts";
import { EXIT } from "./exit.ts";

/** Entry of the `drwn` program. */
export async function runCli(): Promise<void> {
  const argv = process.argv.slice(2);
  const root = packageFile("");
  const load = createRequire(packageFile("package.json"));
  const pjson = load("./package.json") as PJSON;
  const { commands } = load("./oclif.manifest.json") as { commands: Record<string, { aliases: string[] }> };
  // Plugins bring commands and help for mistakes: one that is our own starts without them, in half the time.
  const plugins = isOwnCommand(argv, commands) ? [] : (pjson.oclif.plugins ?? []);
  try {
    await run(argv, { root, pjson: { ...pjson, oclif: { ...pjson.oclif, plugins } } });
    await flush();
  } catch (error) {
    if (isCleanExit(error)) process.exitCode = EXIT.done;
    else reportFailure(error, { json: argv.includes("--json"), commandId: "" });
  }
}

function isOwnCommand(argv: readonly string[], commands: Readonly<Record<string, { aliases: string[] }>>): boolean {
  if (argv.includes("--help")) return false;
  const ids = new Set(Object.entries(commands).flatMap(([id, { aliases }]) => [id, ...aliases]));
  const words = argv.findIndex((word) => word.startsWith("-"));
  const typed = words < 0 ? argv : argv.slice(0, words);
  return typed.some((_, at) => ids.has(typed.slice(0, at + 1).join(":")));
}

/** oclif ends `--help` and `--version` by throwing. */
function isCleanExit(error: unknown): boolean {
  return error instanceof Error && "oclif" in error && (error.oclif as { exit?: number }).exit === 0;
}
