type Capability = "env" | "exec" | "fs-read" | "fs-write" | "net" | "wasm";

/** Something that Node doesn't keep a policy from, although nobody consented to it. */
export interface IsolationGap {
  /** A policy needs one of these to do it. */
  capabilities: readonly Capability[];
  /** The first major version of Node that prevents it; null: none does. */
  heldSince: number | null;
  /** Follows "Node 20 does not keep it from". */
  what: string;
}

/** `docs/explanation/isolation.md` shows what was tried; a test compares the two. */
const ISOLATION_GAPS: readonly IsolationGap[] = [
  {
    capabilities: ["fs-read", "fs-write"],
    heldSince: null,
    what: "files outside the project to which a link in the project leads",
  },
  {
    capabilities: ["fs-read", "fs-write"],
    heldSince: null,
    what: "finding out whether a file is there, anywhere on this machine",
  },
  {
    capabilities: ["exec"],
    heldSince: null,
    what: "anything that you can do, since nothing limits the programs that it starts",
  },
  {
    capabilities: ["net"],
    heldSince: null,
    what: "services of this machine and its sockets, since connections may go anywhere",
  },
  {
    capabilities: ["env", "exec", "fs-read", "fs-write"],
    heldSince: 25,
    what: "the network, if it gets around the modules that drwn gives it",
  },
];

/**
 * What this Node doesn't keep a policy with these capabilities from. A policy without capabilities is also confined by
 * drwn itself.
 */
export function isolationGapsOf(capabilities: readonly Capability[], nodeVersion: string): string[] {
  const line = Number.parseInt(nodeVersion, 10);
  return ISOLATION_GAPS.filter(({ capabilities: needed, heldSince }) => {
    if (heldSince !== null && line >= heldSince) return false;
    // A policy that may connect anywhere doesn't need a way around.
    if (heldSince !== null && capabilities.includes("net")) return false;
    return needed.some((capability) => capabilities.includes(capability));
  }).map(({ what }) => what);
}

export function describeIsolationGap(gap: string, nodeVersion: string): string {
  return `Node ${nodeVersion.split(".")[0]} does not keep it from ${gap}`;
}
