import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";

/** `$COPILOT_HOME`, else `~/.copilot`. */
export function copilotHome(host: Pick<AgentContext["host"], "cwd" | "env" | "home">): string {
  return namedFolder(host, "COPILOT_HOME") ?? path.join(host.home, ".copilot");
}
