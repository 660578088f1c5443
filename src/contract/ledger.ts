/**
 * The ledger of one project: what this machine's user consented to there. It lies in `ledger/<key>.json`, outside every
 * project, readable by its owner only. It is the root of trust of the hook process.
 */
export const LEDGER_VERSION = 1;

export interface Ledger {
  version: typeof LEDGER_VERSION;
  /** Counts every change. */
  sequence: number;
  project: ProjectIdentity;
  /** Digest of the plan that `drwn write` committed last; null before the first. */
  plan: string | null;
  grants: Grant[];
}

export interface ProjectIdentity {
  /** Real path of the project folder. */
  path: string;
  /** Real path of the git common directory that the project's worktree belongs to; null outside git. */
  gitCommonDir: string | null;
  /** The project folder relative to the top of its worktree, "" for the top itself; null outside git. */
  gitPath: string | null;
}

/** One recorded consent. A revoked grant stays as a tombstone, so that "untrusted" and "lost" differ. */
export interface Grant {
  card: string;
  /** Identity of the registry that the card comes from. */
  source: string;
  /** Key of the publisher whose versions the consent is for; null: the card was not signed. */
  publisher: string | null;
  /** Semver range inside which a later version may be offered. */
  range: string;
  /** ISO 8601 */
  grantedAt: string;
  /** ISO 8601; null while the grant holds. */
  revokedAt: string | null;
  /** What was consented to, by hook name: a version that differs in any of it waits for a person. */
  ceiling: Record<string, HookFacts>;
  /** The contents that may run, oldest first. */
  approved: Approval[];
}

export interface Approval {
  cardVersion: string;
  /** Tree digest of the card. */
  tree: string;
  /** Digest of the compiled policy by hook name. */
  bundles: Record<string, string>;
  /** What was consented to of each hook in this version, in the card's order: at run time this rules, not the module. */
  hooks: (HookFacts & { name: string })[];
  by: "person" | "range";
  /** ISO 8601 */
  at: string;
}

/** What an index says of one hook, and a person is shown. */
export interface HookFacts {
  kind: "enforcement" | "observer";
  matcher: string | null;
  phases: ("pre-tool" | "post-tool")[];
  timeoutMs: number;
  capabilities: ("env" | "exec" | "fs-read" | "fs-write" | "net")[];
}
