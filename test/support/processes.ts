import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { temporaryFolder } from "./cards.ts";

const SOURCES = new URL("../../src", import.meta.url).pathname;

/**
 * Bundles TypeScript that imports ours as `src/…` into a file that Node can run. It may use top-level await, unless it
 * must be CommonJS, as some libraries need.
 */
export async function bundleScript(script: string, format: "esm" | "cjs" = "esm"): Promise<string> {
  const folder = temporaryFolder();
  const outfile = path.join(folder, format === "esm" ? "script.mjs" : "script.cjs");
  fs.writeFileSync(path.join(folder, "script.ts"), script);
  await build({
    entryPoints: [path.join(folder, "script.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format,
    // No bundler can follow the main file of some libraries.
    mainFields: ["module", "main"],
    logLevel: "silent",
    alias: { src: SOURCES },
  });
  return outfile;
}

/** How the process ended: its signal, otherwise its exit status. */
export function runScript(script: string, args: readonly string[]): Promise<string | number> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, ...args], () => {});
    child.on("close", (status, signal) => resolve(signal ?? status ?? "unknown"));
  });
}

/** Runs the script in `count` processes at once, each with its number after the arguments. */
export function runTogether(script: string, count: number, args: readonly string[]): Promise<(string | number)[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => runScript(script, [...args, String(at)])));
}

/** Runs the text of a script in `count` processes at once and returns what each printed. Each gets `process.argv[2]`, its number. */
export async function runAtOnce(script: string, count: number): Promise<string[]> {
  const file = await bundleScript(script, "cjs");
  const run = promisify(execFile);
  const runs = Array.from({ length: count }, (_, at) => run(process.execPath, [file, String(at)]));
  return (await Promise.all(runs)).map(({ stdout }) => stdout.trim());
}

/** Whether a process is still running: a zombie isn't. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}
