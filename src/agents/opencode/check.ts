import fs from "node:fs";
import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";

/** Both names are read by OpenCode 1.18.33. */
const FOLDERS = ["plugin", "plugins"];

/** Plugins in the project: OpenCode asks them after drwn's, and each can change the call that was judged. */
export function checkPlugins(root: string): Finding[] {
  return FOLDERS.map((name) => path.join(root, ".opencode", name))
    .flatMap((folder) => pluginsIn(folder))
    .map((file) => ({
      code: "plugin-beside",
      severity: "warning",
      subject: file,
      message:
        "OpenCode runs this plugin of the project after drwn's: it can change a call after the guards have allowed it",
      hint: `read ${file}, and remove it if it isn't yours`,
    }));
}

function pluginsIn(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder)
      .filter((name) => /\.[jt]s$/u.test(name))
      .sort()
      .map((name) => path.join(folder, name));
  } catch {
    // There is none, or OpenCode cannot read it either.
    return [];
  }
}
