import { adviseForEveryFolder } from "../../kernel/every-folder.ts";
import type { Host } from "../../kernel/host.ts";
import { findGlobal, locateRoot } from "../../workspace/locate-project.ts";

/**
 * What a command about a project also says about what holds in every folder; null: nothing was ever asked for there.
 */
export function besideProject<T>(host: Host, look: (global: Host) => T): T | null {
  const global = locateRoot(host).isGlobal ? undefined : findGlobal(host);
  return global === undefined ? null : adviseForEveryFolder(look(global));
}
