import { createRequire } from "node:module";
import { flush } from "@oclif/core/flush";
import type { PJSON } from "@oclif/core/interfaces";
import { run } from "@oclif/core/run";
import { packageFile } from "../kernel/package-file.ts";
import { reportFailure } from "./command.ts";
import { EXIT } from "./exit.ts";
import { findOwnCommand, runOwnCommand } from "./own-command.ts";

/** Entry of the `drwn` program. */
export async function runCli(): Promise<void> {
  const argv = process.argv.slice(2);
  const pjson = createRequire(packageFile("package.json"))("./package.json") as PJSON;
  try {
    const own = findOwnCommand(argv);
    if (own !== undefined) await runOwnCommand(own, pjson);
    else if (argv[0] === "--version") (await import("./print-version.ts")).printVersion(pjson);
    else await run(argv, { root: packageFile(""), pjson });
    await flush();
  } catch (error) {
    if (isCleanExit(error)) process.exitCode = EXIT.done;
    else reportFailure(error, { json: argv.includes("--json"), commandId: "" });
  }
}

/** oclif ends `--help` by throwing. */
function isCleanExit(error: unknown): boolean {
  return error instanceof Error && "oclif" in error && (error.oclif as { exit?: number }).exit === 0;
}
