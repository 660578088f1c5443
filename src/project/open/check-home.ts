import fs from "node:fs";
import path from "node:path";
import type { ProjectIdentity } from "../../contract/ledger.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { lstatIfThere } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";

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

/** What stands where drwn's home, or a folder above it, should be: a file, or a link that leads to no folder. */
export function findObstacle(home: string): Problem | undefined {
  const place = pathsTo(home).find((folder) => lstatIfThere(folder) !== undefined && !isFolder(folder));
  if (place === undefined) return undefined;
  const stat = fs.lstatSync(place);
  const shown = clean(place, 1_000);
  const message = stat.isSymbolicLink()
    ? `${shown} is a link to ${clean(fs.readlinkSync(place), 1_000)}, where there is no folder`
    : `${shown} is not a folder`;
  return new Problem("DRWN_HOME_INVALID", message, {
    details: [
      `drwn keeps its state in ${clean(home, 1_000)}; as long as no folder can be there, its hook blocks every call`,
      ...(stat.isSymbolicLink() ? ["if the link leads to a disk that isn't mounted, mount it instead"] : []),
    ],
    hint: advise`mv ${shellQuote(shown)} ${shellQuote(`${shown}-other`)} && ${drwn("write")}`,
  });
}

/** For a command that reads or writes drwn's home. */
export function requireHome({ drwnHome }: Pick<Host, "drwnHome">): void {
  const obstacle = findObstacle(drwnHome);
  if (obstacle !== undefined) throw obstacle;
}

function isFolder(place: string): boolean {
  try {
    return fs.statSync(place).isDirectory();
  } catch {
    return false;
  }
}

/** The folder and all above it, from the top. */
function pathsTo(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [...pathsTo(above), folder];
}
