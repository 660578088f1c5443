import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** Does something in an empty folder, which is removed afterwards. */
export function inTemporaryFolder<T>(act: (folder: string) => T): T {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "shell-"));
  try {
    return act(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
