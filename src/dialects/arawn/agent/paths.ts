import path from "node:path";

export function arawnUserSettings({ home }: { home: string }): string {
  return path.join(home, ".arawn", "settings.json");
}
