import path from "node:path";
import { listFolder } from "../../../kernel/files.ts";
import type { AgentSigns } from "../../../wiring/target.ts";

/** Where Astrid looks for a user's hooks in every workspace. */
export function userHooks({ env, home }: { env: Readonly<Record<string, string | undefined>>; home: string }): string {
  return path.join(env["ASTRID_HOME"] || path.join(home, ".astrid"), "hooks");
}

export function workspaceHooks(root: string): string {
  return path.join(root, ".astrid", "hooks");
}

export const astridPlaces: AgentSigns = {
  programs: ["astrid"],
  folders: ({ host }) => (isOnlyOurs(userHooks(host)) ? [] : [path.dirname(userHooks(host))]),
  entry: (host) => path.join(userHooks(host), "drwn-pre-tool-call", "HOOK.toml"),
};

/** Whether the folder of Astrid has nothing but hooks of drwn's: then drwn made it. */
function isOnlyOurs(hooks: string): boolean {
  const names = listFolder(path.dirname(hooks));
  return (
    names.length > 0 && [...names, ...listFolder(hooks)].every((name) => name === "hooks" || name.startsWith("drwn-"))
  );
}
