import { setMaxListeners } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { PROVING_KEY } from "../contract/proving.ts";
import { isProcessAlive, thisProcess } from "../kernel/owner.ts";
import { packageFile } from "../kernel/package-file.ts";
import type { HookUnderTest } from "./hook-under-test.ts";

/** A throw-away home with the program that asks policies, and an empty project. */
export interface ProvingSandbox {
  home: string;
  root: string;
  program: string;
  /** Ends every process of this place. */
  signal: AbortSignal;
}

const PREFIX = "drwn-proving-";

/** Makes a place for the work, and removes it afterwards. */
export async function withSandbox<T>(
  work: (place: ProvingSandbox) => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  // Each process adds a listener.
  setMaxListeners(0, signal);
  const above = fs.realpathSync(os.tmpdir());
  removeAbandoned(above);
  const folder = fs.mkdtempSync(path.join(above, `${PREFIX}${thisProcess()}-`));
  try {
    const [home, root] = [path.join(folder, "home"), path.join(folder, "project")];
    const program = layout.hook(home);
    fs.mkdirSync(path.dirname(program), { recursive: true });
    fs.mkdirSync(root);
    // Workers start from the path of a home's hook process.
    fs.copyFileSync(packageFile("dist/proving/prove.cjs"), program);
    return await work({ home, root, program, signal });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes the places of processes that were killed. Another user's stay: drwn can't remove them, and need not. */
function removeAbandoned(above: string): void {
  for (const name of fs.readdirSync(above)) {
    const [, pid, startTime] = /^drwn-proving-(\d+)-(\w+)-/u.exec(name) ?? [];
    if (pid === undefined || startTime === undefined || isProcessAlive(pid, startTime)) continue;
    try {
      fs.rmSync(path.join(above, name), { recursive: true, force: true });
    } catch {
      // Removing it isn't urgent.
    }
  }
}

/** Puts the compiled policy where workers get it from. */
export function putHookUnderTest({ home }: ProvingSandbox, { policy, code }: HookUnderTest): void {
  const file = layout.bundle(home, PROVING_KEY, policy.bundle);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, code);
}
