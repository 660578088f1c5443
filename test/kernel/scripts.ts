import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { temporaryFolder } from "../support/cards.ts";

const SOURCES = new URL("../../src", import.meta.url).pathname;

/** A file that Node can run, made of TypeScript that imports ours as `src/…` and may await at its top. */
export async function bundleScript(script: string): Promise<string> {
  const folder = temporaryFolder();
  const outfile = path.join(folder, "script.mjs");
  fs.writeFileSync(path.join(folder, "script.ts"), script);
  await build({
    entryPoints: [path.join(folder, "script.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    alias: { src: SOURCES },
  });
  return outfile;
}

/** How the process ended: its signal, else its exit status. */
export function runScript(script: string, args: readonly string[]): Promise<string | number> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [script, ...args], () => {});
    child.on("close", (status, signal) => resolve(signal ?? status ?? "unknown"));
  });
}

/** Runs the script in `count` processes at once, each with its number behind the arguments. */
export function runTogether(script: string, count: number, args: readonly string[]): Promise<(string | number)[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => runScript(script, [...args, String(at)])));
}
