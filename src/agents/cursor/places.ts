import path from "node:path";
import type { AgentPlace } from "../../wiring/target.ts";

export function cursorHome({ home }: Pick<AgentPlace["host"], "home">): string {
  return path.join(home, ".cursor");
}
