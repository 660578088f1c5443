import path from "node:path";
import type { AgentPlace } from "../../wiring/target.ts";

/** `$COPILOT_HOME`, else `~/.copilot`. */
export function copilotHome({ env, home }: Pick<AgentPlace["host"], "env" | "home">): string {
  return path.resolve(home, env["COPILOT_HOME"] || ".copilot");
}
