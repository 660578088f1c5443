import type { Stats } from "node:fs";
import { isSystemHome } from "../../contract/system-home.ts";
import { nodeProcess } from "../../hot/primordials.ts";

/** What lets somebody else decide what is in the file, or in the folder; undefined: nothing. What lies in root's place is root's. */
export function unsafeIn(home: string): (stat: Stats | undefined) => string | undefined {
  const owner = isSystemHome(home) ? 0 : nodeProcess.getuid?.();
  return (stat) => {
    if (stat === undefined) return undefined;
    if (stat.isSymbolicLink()) return "is a symbolic link";
    if (owner !== undefined && stat.uid !== owner) return "belongs to another user";
    return (stat.mode & 0o022) === 0 ? undefined : "can be changed by other users";
  };
}

/** For what is known by its digest: whose it is matters where root alone may decide what a user can read and run. */
export function refusalIn(home: string): ((stat: Stats) => string | undefined) | undefined {
  return isSystemHome(home) ? unsafeIn(home) : undefined;
}
