import type { Stats } from "node:fs";
import { isManagedHome } from "../../contract/managed-home.ts";
import { nodeProcess } from "../../hot/primordials.ts";

/**
 * What would let somebody else decide the content of a file or folder; undefined: nothing. Files in the system's home
 * must be root's.
 */
export function unsafeIn(home: string): (stat: Stats | undefined) => string | undefined {
  const owner = isManagedHome(home) ? 0 : nodeProcess.getuid?.();
  return (stat) => {
    if (stat === undefined) return undefined;
    if (stat.isSymbolicLink()) return "is a symbolic link";
    if (owner !== undefined && stat.uid !== owner) return "belongs to another user";
    return (stat.mode & 0o022) === 0 ? undefined : "can be changed by other users";
  };
}

/**
 * For files known by their digest. Their owner only matters in the system's home, where root alone decides what users
 * read and run.
 */
export function refusalIn(home: string): ((stat: Stats) => string | undefined) | undefined {
  return isManagedHome(home) ? unsafeIn(home) : undefined;
}
