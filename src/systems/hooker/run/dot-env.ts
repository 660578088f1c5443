import { readFileSync } from "node:fs";
import type { HookerCall } from "./call.ts";
import { statOf } from "./discover.ts";
import { strip } from "./ruby-text.ts";

/** Loads the variables of the deepest root's `.env`. Variables that are already set win. */
export function loadDotEnv(folder: string, { env, warnings }: HookerCall): void {
  const file = `${folder === "/" ? "" : folder}/.env`;
  if (statOf(file)?.isFile() !== true) return;
  try {
    for (const line of readFileSync(file, "utf8").split("\n").map(strip)) {
      const equals = line.indexOf("=");
      if (line.startsWith("#") || equals < 1) continue;
      const name = line.slice(0, equals);
      // hooker reads these before it reads an `.env`.
      if (name !== "SCREEN_HOME" && name !== "SPILL_HOME") env[name] ??= line.slice(equals + 1);
    }
  } catch (error) {
    warnings.add(`failed to load .env: ${error instanceof Error ? error.message : ""}`);
  }
}
