import path from "node:path";
import type { AgentSigns } from "../../../wiring/target.ts";

export function arawnUserSettings({ home }: { home: string }): string {
  return path.join(home, ".arawn", "settings.json");
}

export const arawnPlaces: AgentSigns = {
  programs: ["arawn"],
  folders: ({ host }) => [path.dirname(arawnUserSettings(host)), path.join(host.home, ".config/arawn")],
};
