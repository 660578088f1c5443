import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { temporaryFolder } from "./cards.ts";

const SOURCES = new URL("../../src", import.meta.url).pathname;

/**
 * Runs the script in `count` processes at once and returns what each printed. It is TypeScript that imports ours as
 * `src/…`, and gets `process.argv[2]`, its number.
 */
export async function runAtOnce(script: string, count: number): Promise<string[]> {
  const folder = temporaryFolder();
  const outfile = path.join(folder, "script.cjs");
  fs.writeFileSync(path.join(folder, "script.ts"), script);
  await build({
    entryPoints: [path.join(folder, "script.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    // Some libraries have a main file that no bundler can follow.
    mainFields: ["module", "main"],
    logLevel: "silent",
    alias: { src: SOURCES },
  });
  const run = promisify(execFile);
  const runs = Array.from({ length: count }, (_, at) => run(process.execPath, [outfile, String(at)]));
  return (await Promise.all(runs)).map(({ stdout }) => stdout.trim());
}

/** Whether a process does anything still: one that is dead and that nobody asked about does not. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}
