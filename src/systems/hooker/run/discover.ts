import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";

const POLICIES_FILE = ".claude/policies.rb";

export interface Root {
  folder: string;
  file: string;
  stat: Stats;
}

/** Every folder with a policies.rb, from this one up to `/`, the outermost first. */
export function findRoots(cwd: string): Root[] {
  const roots: Root[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = folder === "/" ? `/${POLICIES_FILE}` : `${folder}/${POLICIES_FILE}`;
    const stat = statOf(file);
    if (stat !== undefined) roots.push({ folder, file, stat });
    if (folder === "/") return roots.reverse();
  }
}

/** To Ruby, a file that cannot be looked at doesn't exist. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
