import fs from "node:fs";
import path from "node:path";
import type { ProjectIdentity } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";

/**
 * Refuses a DRWN_HOME inside the project or the repository around it: a repository that brings consents and a variable
 * that points to them would trust itself. drwn's place without that variable is always the user's own.
 */
export function requireOwnHome({ drwnHome, home }: Host, { path: root, gitPath }: ProjectIdentity): void {
  if (drwnHome === path.join(home, ".agents", "drwn")) return;
  const top = gitPath === null || gitPath === "" ? root : root.slice(0, -gitPath.length - 1);
  const real = realPathOf(drwnHome);
  if (real !== top && !real.startsWith(`${top}${path.sep}`)) return;
  throw new Problem("DRWN_HOME_UNSAFE", `DRWN_HOME is inside the project: ${drwnHome}`, {
    details: [`project: ${top}`],
    hint: "unset DRWN_HOME, or set it to a folder outside of every repository",
  });
}

/** The path, with links resolved in the part that exists. */
function realPathOf(folder: string): string {
  for (let existing = folder; ; existing = path.dirname(existing)) {
    if (fs.existsSync(existing) || existing === path.dirname(existing)) {
      return path.join(fs.realpathSync(existing), path.relative(existing, folder));
    }
  }
}
