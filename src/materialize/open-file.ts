import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { isManagedHome } from "../contract/managed-home.ts";

/**
 * What lets another user of this machine change a file or folder of drwn's home; undefined: nothing. Root's files are as
 * good as one's own. Many systems give files to a group of the user's own: that is no fault.
 */
export function whyOpen(file: string, home: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  // A person may keep drwn's home elsewhere and link to it. drwn makes no link in the place of a program.
  if (stat.isSymbolicLink()) return isProgramOf(home, file) ? "leads to what may be another user's" : undefined;
  const owner = isManagedHome(home) ? 0 : (process.getuid?.() ?? stat.uid);
  if (stat.uid !== 0 && stat.uid !== owner) return `belongs to another user (${stat.uid})`;
  const isOpen =
    (stat.mode & 0o002) !== 0 || ((stat.mode & 0o020) !== 0 && stat.gid !== (process.getgid?.() ?? stat.gid));
  return isOpen ? "can be changed by other users" : undefined;
}

function isProgramOf(home: string, file: string): boolean {
  return path.dirname(file) === path.dirname(layout.launcher(home));
}
