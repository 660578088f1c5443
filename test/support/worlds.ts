import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { removeTree } from "../../src/kernel/files.ts";

const ends: (() => void)[] = [];

/** For what lives longer than a test. */
export function onFileFinished(end: () => void): void {
  ends.push(end);
}

/** A folder that exists as long as the test file runs. */
export function newWorld(prefix: string): string {
  const world = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), prefix)));
  onFileFinished(() => removeTree(world));
  return world;
}

export function removeWorlds(): void {
  for (const end of ends.splice(0)) end();
}
