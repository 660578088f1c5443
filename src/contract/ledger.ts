import type { OptionDeclarations, OptionValues } from "./options.ts";

/**
 * The ledger of one project: what this machine's user consented to there. It is `ledger/<key>.json`, outside every
 * project, readable by its owner only. It is the root of trust of the hook process.
 */
export const LEDGER_VERSION = 2;

/** The longest pause of all policies: one that ends later was not written by drwn. */
export const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1000;

export interface Ledger {
  version: typeof LEDGER_VERSION;
  /** Counts every change. */
  sequence: number;
  project: ProjectIdentity;
  /** Digest of the plan that `drwn write` committed last; null before the first. */
  plan: string | null;
  /** Until then no policy runs, whatever the grants say: a person asked for it. ISO 8601; null: nobody did. */
  pausedUntil: string | null;
  grants: Grant[];
  /** Calls that a person lets through past one hook; absent: none. */
  exceptions?: Exception[];
}

/** A person's word that one hook lets a call through; every other hook still judges it. */
export interface Exception {
  /** Twelve hexadecimal digits. */
  id: string;
  card: string;
  hook: string;
  /** What was consented to of the hook then, by `factsText`: with other facts it doesn't hold. */
  facts: string;
  /** Digest of exactly this call; null: what `like` matches. */
  call: string | null;
  like: CallPattern | null;
  /** It lets one call through and no more. */
  isOnce: boolean;
  /** It holds in this session alone; null: in any. */
  session: string | null;
  /** ISO 8601; null: it doesn't end by itself. */
  expiresAt: string | null;
  /** Why, in a person's words; "": nobody said. */
  reason: string;
  /** ISO 8601 */
  at: string;
}

/** Shell commands of these words, in this folder. */
export interface CallPattern {
  folder: string;
  /** Each matches one word. The first is a name. */
  words: string[];
}

export interface ProjectIdentity {
  /** Real path of the project folder. */
  path: string;
  /** Real path of the git common directory that the project's worktree belongs to; null outside git. */
  gitCommonDir: string | null;
  /** The project folder relative to the top of its worktree, "" for the top itself; null outside git. */
  gitPath: string | null;
  /** `device:inode` of the project folder: it recognises a folder that was moved, and nothing else. */
  inode: string | null;
}

/** What a consent lets the card's policies do. */
export const MODES = ["enforce", "shadow", "restrict-only"] as const;
/**
 * `enforce`: whatever a policy of its kind may. `restrict-only`: deny and ask, and nothing that lets more through. `shadow`:
 * policies are asked and journaled, and nothing that they say or fail at is applied.
 */
export type Mode = (typeof MODES)[number];

/** The hook obeys no plan that asks less of a card than its grant does. */
export const STRENGTH: Readonly<Record<Mode, number>> = { shadow: 0, "restrict-only": 1, enforce: 2 };

/** What a person decides beside the range. */
export interface Terms {
  mode: Mode;
  /** The hooks that were consented to; null: all of the card's. */
  hooks: string[] | null;
  /** What an `ask` comes to where the agent cannot ask. */
  askFallback: "allow" | "deny";
  /** ISO 8601: from then on it is as if the consent had been revoked; null: it does not end by itself. */
  expiresAt: string | null;
  /** What becomes of an approved version that its publisher yanks. */
  onYank: "keep" | "stand-down";
  /** The agents in which the card's policies run; null: all that are guarded. */
  runtimes: string[] | null;
}

export const DEFAULT_TERMS: Readonly<Terms> = {
  mode: "enforce",
  hooks: null,
  askFallback: "allow",
  expiresAt: null,
  onYank: "keep",
  runtimes: null,
};

export function termsOf({ mode, hooks, askFallback, expiresAt, onYank, runtimes }: Terms): Terms {
  return { mode, hooks, askFallback, expiresAt, onYank, runtimes };
}

/** One recorded consent. A revoked grant stays as a tombstone, so that "untrusted" and "lost" differ. */
export interface Grant extends Terms {
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
  /** Of the skills that are code: a digest of the lines that were consented to, by name; absent: of none. */
  skills?: Record<string, string>;
  /** What was set of the hooks' options, by hook; absent: every option is as its card declares it. */
  options?: Record<string, OptionValues>;
  /** The contents that may run, oldest first. */
  approved: Approval[];
}

/** In the place of a publisher's key: whoever installed drwn has the card from the same hand. No key looks like it. */
export const DRWN_ITSELF = "drwn";

export interface Approval {
  cardVersion: string;
  /** Tree digest of the card. */
  tree: string;
  /** Key of the publisher who signed this version; `DRWN_ITSELF`: it came with drwn; null: nobody did. */
  publisher: string | null;
  /** Digest of the compiled policy by hook name. */
  bundles: Record<string, string>;
  /** What was consented to of each hook in this version, in the card's order: at run time this rules, not the module. */
  hooks: (HookFacts & { name: string })[];
  /** Of the skills that are code: the digest of each one's files, by name; absent: none may reach an agent. */
  skills?: Record<string, string>;
  /** The card itself asks for `restrict-only`. */
  restrictOnly: boolean;
  by: (typeof APPROVERS)[number];
  /** ISO 8601 */
  at: string;
  /** When this machine learned that the version was yanked, ISO 8601; null: it was not. */
  yankedAt: string | null;
}

/** Who approved a content: a person who saw the review, the range of a grant, or one of the ways for machines without one. */
export const APPROVERS = ["person", "range", "digest", "trust-file", "signed-grant"] as const;

/** When a hook is asked: before or after a tool call, or at an event of the session, by its canonical name. */
export type PolicyPhase = "pre-tool" | "post-tool" | `${string}.${string}` | "notify";

/** What an index says of one hook, and a person is shown. */
export interface HookFacts {
  kind: "enforcement" | "observer";
  matcher: string | null;
  phases: PolicyPhase[];
  timeoutMs: number;
  capabilities: ("env" | "exec" | "fs-read" | "fs-write" | "net" | "wasm")[];
  /** Absent where the card declares none for it. */
  options?: OptionDeclarations;
}

/**
 * What an approved version runs as. A card may bind itself to `restrict-only`; nothing that it says of itself loosens the
 * terms of its grant.
 */
export function modeOf({ mode }: Pick<Grant, "mode">, { restrictOnly }: Pick<Approval, "restrictOnly">): Mode {
  return mode === "enforce" && restrictOnly ? "restrict-only" : mode;
}

/** Whether this instant has come; null never does. */
export function hasPassed(instant: string | null, now: number): boolean {
  return instant !== null && Date.parse(instant) <= now;
}
