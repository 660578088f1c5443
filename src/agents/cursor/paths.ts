import path from "node:path";
import type { AgentContext, AgentSigns } from "../../wiring/target.ts";

function cursorHome({ home }: Pick<AgentContext["host"], "home">): string {
  return path.join(home, ".cursor");
}

export const cursorPlaces = {
  programs: ["cursor", "cursor-agent"],
  folders: ({ host }) => [cursorHome(host)],
  entry: (host: AgentContext["host"]) => path.join(cursorHome(host), "hooks.json"),
} satisfies AgentSigns;
