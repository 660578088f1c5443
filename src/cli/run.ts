import fs from "node:fs";
import type { PJSON } from "@oclif/core/interfaces";
import { packageFile } from "../kernel/files.ts";
import { asksForJson, findCommand, readNames, type TypedCommand } from "./names/names.ts";
import { reportFailure } from "./report-failure.ts";
import { startCommand } from "./run-command.ts";

/** Entry of the `drwn` program. */
export async function runCli(): Promise<void> {
  const argv = process.argv.slice(2);
  try {
    const pjson = JSON.parse(fs.readFileSync(packageFile("package.json"), "utf8")) as PJSON;
    const names = readNames();
    const found = argv.length === 0 ? await statusInProject() : findCommand(argv, names);
    if (found !== undefined) await startCommand(found, pjson);
    else (await import("./without-command.ts")).answerWithoutCommand(argv, { names, pjson });
  } catch (error) {
    reportFailure(error, { json: asksForJson(argv) });
  }
  if (process.exitCode !== undefined && process.exitCode !== 0) endSoon();
}

const GRACE_MS = 500;

/** Something that a failure left open may wait forever. If nothing is open, the process ends before this. */
function endSoon(): void {
  setTimeout(() => process.exit(), GRACE_MS).unref();
}

/** `drwn` alone answers with the status, if the folder is in a project. */
async function statusInProject(): Promise<TypedCommand | undefined> {
  const [{ isInProject }, { realHost }] = await Promise.all([
    import("../operations/project/init.ts"),
    import("../kernel/host.ts"),
  ]);
  return isInProject(realHost()) ? { id: "status", argv: [] } : undefined;
}
