import fs from "node:fs";
import { isSystemHome } from "../contract/system-home.ts";

/**
 * What lets another user of this machine change a file or folder of drwn's home; undefined: nothing. Root's files are as
 * good as one's own. Many systems give files to a group of the user's own: that is no fault.
 */
export function whyOpen(file: string, home: string): string | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  // A link shows rights for everybody, and what it leads to is not drwn's.
  if (stat === undefined || stat.isSymbolicLink()) return undefined;
  const owner = isSystemHome(home) ? 0 : (process.getuid?.() ?? stat.uid);
  if (stat.uid !== 0 && stat.uid !== owner) return `belongs to another user (${stat.uid})`;
  const isOpen =
    (stat.mode & 0o002) !== 0 || ((stat.mode & 0o020) !== 0 && stat.gid !== (process.getgid?.() ?? stat.gid));
  return isOpen ? "can be changed by other users" : undefined;
}
