import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { Config } from "@oclif/core/config";
import type { PJSON } from "@oclif/core/interfaces";
import { packageFile } from "../kernel/files.ts";
import type { DrwnCommand } from "./command.ts";
import { asksForJson, findCommand, readNames, type TypedCommand } from "./names/names.ts";
import { reportFailure } from "./report-failure.ts";

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

/** Commands with so many objects that the V8 flag saves more than it costs. */
const LARGE = new Set(["add", "doctor", "install", "report", "status", "update", "write"]);

/** Runs a command as oclif would, but without first reading all commands, looking for plugins and loading a theme. */
async function startCommand({ id, argv }: TypedCommand, pjson: PJSON): Promise<void> {
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

/**
 * For a command that makes many objects and ends: V8 doubles the space for young objects again and again, and each time
 * goes through all live ones. With this it goes to its limit in one step, which saves `drwn install` an eighth of its
 * instructions.
 */
function growHeapAtOnce(): void {
  setFlagsFromString("--semi-space-growth-factor=16");
}
