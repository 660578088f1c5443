import fs from "node:fs";
import path from "node:path";
import { Problem } from "../kernel/problem.ts";
import { projectFiles } from "./files.ts";

/** Refuses a project whose files of drwn's are links that lead out of it: they are somebody else's files. */
export function requireInPlace(root: string): void {
  for (const placeOf of [projectFiles.folder, projectFiles.config, projectFiles.lock, projectFiles.trustRequest]) {
    const place = placeOf(root);
    const target = realPathOf(place);
    if (target === undefined || target.startsWith(`${root}${path.sep}`)) continue;
    throw new Problem("DRWN_SETTINGS_UNSAFE", `${place} is a link that leads out of the project`, {
      details: [`to: ${target}`],
      hint: `remove the link; a project's own files belong in ${projectFiles.folder(root)}`,
    });
  }
}

/** Undefined if there is nothing, or a link that leads nowhere. */
function realPathOf(place: string): string | undefined {
  try {
    return fs.realpathSync(place);
  } catch {
    return undefined;
  }
}
