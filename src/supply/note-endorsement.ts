import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import type { Registry } from "../registry/registry.ts";
import { type RememberedEndorsement, readRelease, rememberEndorsement } from "../trust/releases.ts";

/**
 * Keeps how the card's registry vouches for this version in its own name, for the review before a consent. It is not a
 * condition: if drwn can't read it, it keeps nothing.
 */
export async function noteEndorsement(
  { drwnHome: home, progress }: Host,
  registry: Registry,
  { name, version, tree }: { name: string; version: string; tree: string },
): Promise<void> {
  if (registry.endorse === undefined) return;
  try {
    progress(`asking ${registry.id} what it says for ${name}`);
    const said = await registry.endorse(name, version);
    if (said.signatures.length > 0 || said.provenance !== null) rememberEndorsement(home, tree, said);
  } catch (error) {
    if (!isProblem(error)) throw error;
  }
}

/** null if nothing is known. */
export function knownEndorsement({ drwnHome: home }: Host, tree: string): RememberedEndorsement | null {
  return readRelease(home, tree)?.endorsement ?? null;
}
