import {
  type Approval,
  DEFAULT_TERMS,
  type Grant,
  type HookFacts,
  type ProjectIdentity,
} from "../../src/contract/ledger.ts";
import type { JoinFacts } from "../../src/trust/activation.ts";

const AT = "2026-03-01T12:00:00.000Z";

export const OUTSIDE_GIT: ProjectIdentity = { path: "/p", gitCommonDir: null, gitPath: null, inode: null };

/** The facts of an enforcement policy on every tool before the call. */
export function someFacts(parts: Partial<HookFacts> = {}): HookFacts {
  return { kind: "enforcement", matcher: null, phases: ["pre-tool"], timeoutMs: 5_000, capabilities: [], ...parts };
}

/** A person's approval of a version with one hook, `guard`. */
export function someApproval(parts: Partial<Approval> = {}): Approval {
  return {
    cardVersion: "1.0.0",
    tree: "t",
    publisher: null,
    bundles: { guard: `sha256-${"0".repeat(64)}` },
    hooks: [{ name: "guard", ...someFacts() }],
    restrictOnly: false,
    by: "person",
    at: AT,
    yankedAt: null,
    ...parts,
  };
}

/** A consent to `@me/backend` from this machine's own registry, under the default terms, with nothing approved yet. */
export function someGrant(parts: Partial<Grant> = {}): Grant {
  return {
    ...DEFAULT_TERMS,
    card: "@me/backend",
    source: "folder:default",
    publisher: null,
    range: "^1.0.0",
    grantedAt: AT,
    revokedAt: null,
    ceiling: {},
    approved: [],
    ...parts,
  };
}

/**
 * A machine that has known every version for a long time, none of them yanked; a person has published its own versions.
 */
export const JOIN_AT_ONCE: JoinFacts = {
  now: new Date(AT),
  releaseAgeHours: 72,
  isOtherFolder: false,
  releaseOf: () => ({ firstSeenAt: "2026-01-01T00:00:00.000Z", yankedAt: null }),
  publishedBy: () => "person",
  ownKeyOf: () => null,
  isRestrictOnly: () => false,
  skillCodeOf: () => ({}),
};
