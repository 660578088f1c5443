import fs from "node:fs";
import type { PJSON } from "@oclif/core/interfaces";
import { packageFile } from "../kernel/package-file.ts";
import { reportFailure } from "./command.ts";
import { findOwnCommand, runOwnCommand } from "./own-command.ts";

/** Entry of the `drwn` program. */
export async function runCli(): Promise<void> {
  const argv = process.argv.slice(2);
  try {
    const pjson = JSON.parse(fs.readFileSync(packageFile("package.json"), "utf8")) as PJSON;
    const own = findOwnCommand(argv);
    if (own !== undefined) await runOwnCommand(own, pjson);
    else if (argv[0] === "--version") (await import("./print-version.ts")).printVersion(pjson);
    else await (await import("./run-oclif.ts")).runOclif(argv, pjson);
  } catch (error) {
    reportFailure(error, { json: argv.includes("--json"), commandId: "" });
  }
}
