import type { Host } from "../kernel/host.ts";
import type { PublishedVersion, Registry } from "../registry/registry.ts";
import { writeLedger } from "../trust/ledger-file.ts";
import { rememberNotes } from "../trust/releases.ts";
import { withYanks } from "../trust/yanks.ts";
import { readJoinFacts } from "../workspace/join-facts.ts";
import type { OpenProject } from "../workspace/open-project.ts";

/** The same registry; records what it says about versions that this machine has seen. */
export function noteYanksOf(registry: Registry, host: Host): Registry {
  const versions: Registry["versions"] = async (name) => {
    const listed = await registry.versions(name);
    noteListed(host, listed);
    return listed;
  };
  return { ...registry, versions };
}

export function noteListed({ drwnHome: home, now }: Host, listed: readonly PublishedVersion[]): void {
  for (const version of listed) if (version.tree !== "") rememberNotes(home, version, now());
}

/**
 * Notes in the project's approvals which versions were yanked, with effect from the next tool call, and answers with
 * that ledger. The caller holds the project's lock.
 */
export function applyYanks(host: Host, { key, ledger }: Pick<OpenProject, "key" | "ledger">): OpenProject["ledger"] {
  if (ledger === undefined) return undefined;
  const next = withYanks(ledger, readJoinFacts(host).releaseOf);
  if (next !== ledger) writeLedger(host.drwnHome, key, next);
  return next;
}
