import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import type { Finding } from "../kernel/finding.ts";
import { shellQuote } from "../kernel/text.ts";

/**
 * Whether another user of this machine could take every guard away or run programs as this user, by changing the
 * launcher, what it starts, or the records by which it knows projects. Many systems give files to a group of the user's
 * own: that is no fault.
 */
export function checkHome(home: string): Finding[] {
  const bin = path.dirname(layout.launcher(home));
  const programs = fs.existsSync(bin) ? fs.readdirSync(bin).map((name) => path.join(bin, name)) : [];
  const open = [home, bin, ...programs, layout.roots(home), layout.places(home), layout.projects(home)].filter(isOpen);
  const [first] = open;
  if (first === undefined) return [];
  return [
    {
      code: "home-open",
      severity: "error",
      subject: first,
      message: "other users of this machine can change it, and take your guards away or run programs as you",
      hint: `see whose it is, then: chmod -R go-w ${shellQuote(home)}`,
    },
  ];
}

function isOpen(file: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  // A link shows rights for everybody; other checks report links.
  if (stat === undefined || stat.isSymbolicLink()) return false;
  if (stat.uid !== 0 && stat.uid !== (process.getuid?.() ?? stat.uid)) return true;
  return (stat.mode & 0o002) !== 0 || ((stat.mode & 0o020) !== 0 && stat.gid !== (process.getgid?.() ?? stat.gid));
}
