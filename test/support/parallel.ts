import { spawn } from "node:child_process";
import path from "node:path";
import type { TestHost } from "./host.ts";

export interface ParallelEnd {
  end: string | number | null;
  stdout: string;
  stderr: string;
}

const PROGRAM = path.resolve(import.meta.dirname, "../../bin/drwn.js");

/** Runs the built program once for each of these command lines, all at the same time, in the project of the machine. */
export function runAllAtOnce(host: TestHost, lines: readonly (readonly string[])[]): Promise<ParallelEnd[]> {
  return Promise.all(lines.map((argv) => runOne(host, argv)));
}

function runOne({ cwd, home }: TestHost, argv: readonly string[]): Promise<ParallelEnd> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"], HOME: home, NO_COLOR: "1" };
    const child = spawn(process.execPath, [PROGRAM, ...argv], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        said[stream] += text;
      });
    }
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ end: signal ?? status, ...said }));
  });
}
