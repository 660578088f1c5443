import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { PROVING_KEY } from "../contract/proving.ts";
import { packageFile } from "../kernel/package-file.ts";
import type { TriedHook } from "./tried-hook.ts";

/** A throw-away home with the program that asks policies, and an empty project. */
export interface ProvingPlace {
  home: string;
  root: string;
  program: string;
}

/** Makes a place for the work, and removes it when that has ended. */
export async function withPlace<T>(work: (place: ProvingPlace) => Promise<T>): Promise<T> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-proving-")));
  try {
    const [home, root] = [path.join(folder, "home"), path.join(folder, "project")];
    const program = layout.hook(home);
    fs.mkdirSync(path.dirname(program), { recursive: true });
    fs.mkdirSync(root);
    // Workers are started from the place at which a home has its hook process.
    fs.copyFileSync(packageFile("dist/proving/prove.cjs"), program);
    return await work({ home, root, program });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts the compiled policy where workers are given it from. */
export function putTried({ home }: ProvingPlace, { policy, code }: TriedHook): void {
  const file = layout.bundle(home, PROVING_KEY, policy.bundle);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, code);
}
