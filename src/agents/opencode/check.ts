import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";
import { pathsIn } from "../../wiring/entries/other-hooks.ts";

/** OpenCode 1.18.33 reads both. */
const FOLDERS = ["plugin", "plugins"];

/**
 * Finds plugins of the project: each can change a call that drwn has judged. OpenCode asks them after drwn's, whatever
 * their names are.
 */
export function checkPlugins(root: string): Finding[] {
  return pluginsIn(path.join(root, ".opencode")).map((file) =>
    besideFinding("plugin-beside", file, `OpenCode runs this plugin of the project after drwn's: ${CAN}`),
  );
}

const CAN = "it can change a call after the guards have allowed it";

function besideFinding(code: string, file: string, message: string): Finding {
  return { code, severity: "warning", subject: file, message, hint: `read ${file}, and remove it if it isn't yours` };
}

function pluginsIn(folder: string): string[] {
  return FOLDERS.flatMap((name) => pathsIn(path.join(folder, name))).filter((file) => /\.[jt]s$/u.test(file));
}
