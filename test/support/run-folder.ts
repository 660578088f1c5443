import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { hasCode, listFolder, removeTree } from "../../src/kernel/files.ts";
import { isCurrent, listProgramCaches, makeCaches, markOf } from "../../src/write/code-cache.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder for things that are made once for all workers' test files. */
    runFolder: string;
  }
}

const MEMORY = "/dev/shm";
const ENOUGH = 2 ** 31;
/** It names the process that removes the folder at its end. */
const NAME = `drwn-run-${process.pid}-`;

export function isInMemory(folder: string): boolean {
  return folder.startsWith(`${MEMORY}/`);
}

/**
 * All temporary folders of the run are in one, in memory if possible: tests make many small files, and wait for each.
 */
export async function setup({ provide }: TestProject): Promise<() => void> {
  await cacheCode();
  removeAbandoned(MEMORY);
  const made = makeFolder(MEMORY) ?? fs.mkdtempSync(path.join(os.tmpdir(), NAME));
  // As deep as one in memory: how many calls a command makes depends on it.
  const folder = isInMemory(made) ? made : path.join(made, "run");
  fs.mkdirSync(folder, { recursive: true });
  // Others may pass through it, as through the system's own.
  for (const one of [made, folder]) fs.chmodSync(one, 0o755);
  provide("runFolder", folder);
  process.env["TMPDIR"] = folder;
  return () => removeTree(made);
}

/**
 * Makes V8's cached code of the programs that most tests have `drwn write` put somewhere; otherwise each test would do
 * it again.
 */
async function cacheCode(): Promise<void> {
  const dist = path.join(import.meta.dirname, "../../dist");
  const mark = markOf(process.execPath);
  const wanted = listProgramCaches(path.join(dist, "runtime"))
    .map((cache) => ({ ...cache, file: path.join(dist, "code-cache", path.basename(cache.file)) }))
    .filter((cache) => /hook(?:-calls)?\.[a-z-]+$/u.test(cache.file) && !isCurrent(cache, mark));
  for (const [{ file }, content] of await makeCaches(process.execPath, mark, wanted)) fs.writeFileSync(file, content);
}

/** What runs that were killed have left: nothing else gives the memory back. */
function removeAbandoned(place: string): void {
  for (const name of listFolder(place)) {
    const [, pid] = /^drwn-run-(\d+)-/u.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) fs.rmSync(path.join(place, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}

/** Undefined: there is no such place, it has too little room, or programs cannot start from it. */
function makeFolder(place: string): string | undefined {
  try {
    const { bavail, bsize } = fs.statfsSync(place);
    if (bavail * bsize < ENOUGH) return undefined;
    const folder = fs.mkdtempSync(path.join(place, NAME));
    const program = path.join(folder, "program");
    fs.writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    if (spawnSync(program).status === 0) return folder;
    fs.rmSync(folder, { recursive: true });
  } catch {}
  return undefined;
}
