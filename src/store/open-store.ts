import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import { isManagedHome } from "../contract/managed-home.ts";
import { advise, drwn } from "../kernel/advice.ts";
import { Problem } from "../kernel/problem.ts";

/**
 * The store's folder; creates it if it is absent. Refuses one that somebody else could have prepared, or could change.
 */
export function openStore(home: string): string {
  const folder = layout.store(home);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = fs.lstatSync(folder);
  const fault = faultOf(stat, isManagedHome(home) ? 0 : process.getuid?.());
  if (fault === undefined) return folder;
  throw new Problem("DRWN_HOME_UNSAFE", `the store ${folder} ${fault}`, {
    hint: advise`look at who changed it; if you move the store away, this fills a new one: ${drwn("install")}`,
  });
}

function faultOf(stat: fs.Stats, owner: number | undefined): string | undefined {
  if (stat.isSymbolicLink()) return "is a symbolic link";
  if (!stat.isDirectory()) return "isn't a folder";
  if (stat.uid !== (owner ?? stat.uid)) return "belongs to another user";
  return (stat.mode & 0o022) === 0 ? undefined : "can be changed by other users";
}
