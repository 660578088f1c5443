import path from "node:path";
import type { AgentContext } from "../../wiring/target.ts";

export function cursorHome({ home }: Pick<AgentContext["host"], "home">): string {
  return path.join(home, ".cursor");
}
