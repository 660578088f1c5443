import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** A folder for what is made once for the test files of all workers. */
    runFolder: string;
  }
}

/** The folder lives as long as the run. */
export function setup({ provide }: TestProject): () => void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "drwn-run-"));
  provide("runFolder", folder);
  return () => fs.rmSync(folder, { recursive: true, force: true });
}
