import fs from "node:fs";
import path from "node:path";
import { LOADER } from "../contract/code-cache.ts";
import { layout } from "../contract/layout.ts";
import { isManagedHome } from "../contract/managed-home.ts";
import { packageFile } from "../kernel/package-file.ts";
import type { AgentId } from "../policy/event.ts";
import { type Change, planFile } from "../wiring/changes.ts";
import { renderLauncher } from "../wiring/launcher.ts";
import { whyOpen } from "./open-file.ts";

interface ProgramRequest {
  nodePath: string;
  /** The agents that call the hook. */
  runtimes: readonly AgentId[];
}

export const LAUNCHER = "hook launcher";

/** The launcher and the hook processes, below DRWN_HOME: a session must outlive the folder in which drwn is installed. */
export function planProgram(home: string, { nodePath, runtimes }: ProgramRequest): Change[] {
  const launcher = renderLauncher(fs.readFileSync(packageFile("templates/launcher.sh"), "utf8"), {
    nodePath,
    isSystem: isManagedHome(home),
  });
  const programs = programsFor(home, runtimes).map((name) =>
    planOwn(home, {
      path: layout.hookProgram(home, name),
      after: fs.readFileSync(packageFile(`dist/runtime/${name}`)),
      what: "hook process",
      mode: 0o644,
    }),
  );
  const starter = planOwn(home, {
    path: layout.launcher(home),
    after: Buffer.from(launcher),
    what: LAUNCHER,
    mode: 0o755,
  });
  return [...programs, starter].filter((change) => change !== undefined);
}

/** A file that others can change is replaced, even if its bytes are right: whoever owns it could rewrite it later. */
function planOwn(home: string, file: Required<Parameters<typeof planFile>[0]>): Change | undefined {
  const change = planFile(file);
  if (change !== undefined || whyOpen(file.path, home) === undefined) return change;
  return { action: "update", before: file.after, ...file };
}

/**
 * The program that answers everything, the loader of cached code, the programs of these agents, and those of other
 * projects, which must not stay outdated.
 */
function programsFor(home: string, runtimes: readonly AgentId[]): string[] {
  const main = path.basename(layout.hook(home));
  const wanted = new Set<string>(runtimes.map((runtime) => `hook-${runtime}.cjs`));
  return fs
    .readdirSync(packageFile("dist/runtime"))
    .filter(
      (name) => [main, LOADER].includes(name) || wanted.has(name) || (name.endsWith(".cjs") && isThere(home, name)),
    );
}

function isThere(home: string, name: string): boolean {
  return fs.existsSync(layout.hookProgram(home, name));
}
