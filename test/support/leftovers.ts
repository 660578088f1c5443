import path from "node:path";
import { temporaryName } from "../../src/kernel/files.ts";

/** A temporary name as left by a process that is gone: its number, or one that no process has. */
export function leftoverName(pid = 999_999_999): string {
  return path.basename(temporaryName("/x")).replace(/\d+/u, String(pid));
}
