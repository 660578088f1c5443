import { spawnSync } from "node:child_process";
import path from "node:path";

/** Whether this machine can be asked what Ruby makes of a text. */
export const HAS_RUBY = spawnSync("ruby", ["-e", "exit 0"]).status === 0;

/** Asks the stand-in of hooker's language; null where Ruby fails. */
export function askRuby(
  request: { sources: readonly string[] } | { patterns: readonly string[]; subjects: readonly string[] },
) {
  const { stdout, status } = spawnSync("ruby", ["-Ku", path.join(import.meta.dirname, "stand-in.rb")], {
    input: JSON.stringify(request),
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LANG: "C.UTF-8" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`ruby ended with ${status}`);
  return JSON.parse(stdout) as (unknown[] | null)[];
}
