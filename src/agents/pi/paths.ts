import path from "node:path";
import { namedFolder } from "../../wiring/file-location.ts";
import type { AgentContext } from "../../wiring/target.ts";

type Home = Pick<AgentContext["host"], "cwd" | "env" | "home">;

/** The user's settings, extensions and sessions: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
export function piHome(host: Home): string {
  return namedFolder(host, "PI_CODING_AGENT_DIR") ?? path.join(host.home, ".pi", "agent");
}
