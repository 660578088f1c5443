import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const worlds: string[] = [];

/** A folder that exists as long as the test file runs. */
export function newWorld(prefix: string): string {
  const world = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), prefix)));
  worlds.push(world);
  return world;
}

export function removeWorlds(): void {
  for (const world of worlds.splice(0)) fs.rmSync(world, { recursive: true, force: true });
}
