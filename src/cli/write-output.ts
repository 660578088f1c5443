import fs from "node:fs";
import path from "node:path";
import { writeAtomic } from "../kernel/atomic.ts";
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
  writeAtomic(file, content);
  return file;
}
