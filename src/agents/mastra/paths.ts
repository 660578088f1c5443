import fs from "node:fs";
import path from "node:path";
import type { AgentSigns } from "../../wiring/target.ts";

const CORE = "@mastra/core";

export const mastraPlaces: AgentSigns = {
  programs: [],
  folders: ({ root }) => [isRequired(root) ? root : path.join(root, "node_modules", CORE)],
};

/** Whether the project's package.json asks for it. */
function isRequired(root: string): boolean {
  try {
    const manifest: unknown = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    if (typeof manifest !== "object" || manifest === null) return false;
    return ["dependencies", "devDependencies", "peerDependencies"].some((field) => {
      const names: unknown = Reflect.get(manifest, field);
      return typeof names === "object" && names !== null && Object.hasOwn(names, CORE);
    });
  } catch {
    // There is none, or it is broken, which others report.
    return false;
  }
}
