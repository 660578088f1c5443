import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";
import { pathsIn } from "../../wiring/entries/hooks-beside.ts";

/** OpenCode 1.18.33 reads both. */
const FOLDERS = ["plugin", "plugins"];

/**
 * Finds plugins beside drwn's: each can change a call that drwn has judged. OpenCode asks a project's plugins after
 * drwn's, whatever their names are.
 */
export function checkPlugins(root: string, configFolder: string): Finding[] {
  const ofProject = pluginsIn(path.join(root, ".opencode")).map((file) =>
    besideFinding("plugin-beside", file, `OpenCode runs this plugin of the project after drwn's: ${CAN}`),
  );
  const others = pluginsIn(configFolder).filter((file) => path.basename(file) !== "drwn.js");
  const ofUser = others.map((file) =>
    besideFinding("hook-beside", file, `OpenCode runs this plugin of yours in the same process as drwn's: ${CAN}`),
  );
  return [...ofProject, ...ofUser];
}

const CAN = "it can change a call after the guards have allowed it";

function besideFinding(code: string, file: string, message: string): Finding {
  return { code, severity: "warning", subject: file, message, hint: `read ${file}, and remove it if it isn't yours` };
}

function pluginsIn(folder: string): string[] {
  return FOLDERS.flatMap((name) => pathsIn(path.join(folder, name))).filter((file) => /\.[jt]s$/u.test(file));
}
