import fs from "node:fs";
import type { PJSON } from "@oclif/core/interfaces";
import { packageFile } from "../kernel/package-file.ts";
import { asksForJson, findCommand, readNames } from "./names/names.ts";
import { reportFailure } from "./report-failure.ts";
import { startCommand } from "./run-command.ts";

/** Entry of the `drwn` program. */
export async function runCli(): Promise<void> {
  const argv = process.argv.slice(2);
  try {
    const pjson = JSON.parse(fs.readFileSync(packageFile("package.json"), "utf8")) as PJSON;
    const names = readNames();
    const found = findCommand(argv, names);
    if (found !== undefined) await startCommand(found, pjson);
    else (await import("./without-command.ts")).answerWithoutCommand(argv, { names, pjson });
  } catch (error) {
    reportFailure(error, { json: asksForJson(argv) });
  }
}
