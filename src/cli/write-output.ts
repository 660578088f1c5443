import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { lstatIfThere, requireWritable, toFileSystemProblem, writeAtomic } from "../kernel/files.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { clean, shellQuote } from "../kernel/text.ts";

/** Writes a file where a person wants it. A folder that isn't there may be a mistake, so drwn makes none. */
export function writeOutput(cwd: string, typed: string, content: string): string {
  const file = path.resolve(cwd, typed);
  const folder = path.dirname(file);
  if (!fs.existsSync(folder)) {
    throw new Problem(
      "DRWN_FILE_INVALID",
      `there is no folder ${clean(folder, 1_000)} for ${clean(path.basename(file), 300)}`,
      {
        hint: `mkdir -p ${shellQuote(clean(folder, 1_000))}`,
      },
    );
  }
  try {
    writeAtomic(replaceable(file), content);
  } catch (error) {
    throw toFileSystemProblem(error) ?? unwritable(file, error);
  }
  return file;
}

/** The file itself, behind any link: a rename would put ours in the place of a link, a device or a pipe. */
function replaceable(file: string): string {
  if (lstatIfThere(file) === undefined) return file;
  const real = fs.realpathSync(file);
  if (fs.statSync(real).isFile()) {
    // A rename doesn't ask the mode of what it replaces.
    requireWritable(real);
    return real;
  }
  throw new Problem("DRWN_FILE_INVALID", `${clean(file, 1_000)} is not a regular file`, {
    hint: "name another file",
  });
}

/** Such as a folder of /proc, in which nobody can make a file, or a link that leads nowhere. */
function unwritable(file: string, error: unknown): unknown {
  if (!(error instanceof Error && "syscall" in error)) return error;
  const message = `${clean(file, 1_000)} can't be written: ${clean(error.message, 300)}`;
  return new Problem("DRWN_TARGET_UNWRITABLE", message, { hint: "name another file", cause: error });
}

/** Shows a file in the desktop's program for it. If there is none, that isn't a failure: the file exists. */
export function openFile({ env }: Host, file: string): void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const shown = spawn(program, [file], { env: { ...env }, detached: true, stdio: "ignore" });
  shown.on("error", () => {});
  shown.unref();
}
