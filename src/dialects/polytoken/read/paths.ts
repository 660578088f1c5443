import path from "node:path";
import type { Environment } from "../../../kernel/host.ts";
import type { AgentSigns } from "../../../wiring/target.ts";

/** The file with the hooks for every project: `hooks.json` in Polytoken's config folder. */
export function globalHooksFile({ env, home }: { env: Environment; home: string }): string {
  return path.join(path.resolve(home, env["XDG_CONFIG_HOME"] || ".config"), "polytoken", "hooks.json");
}

/** The file with a project's own hooks. */
export function polytokenProjectHooksFile(root: string): string {
  return path.join(root, ".polytoken", "hooks.json");
}

export const polytokenPlaces: AgentSigns = {
  programs: ["polytoken"],
  folders: ({ host }) => [path.dirname(globalHooksFile(host))],
  entry: globalHooksFile,
};
