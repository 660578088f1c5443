import type { IndexedHook } from "../card/hook-index.ts";
import { satisfies } from "../card/version.ts";
import type { Approval, Grant, HookFacts } from "../contract/ledger.ts";
import { type CeilingDifference, consentedHooks, differencesFromCeiling } from "./ceiling.ts";

/** The version of a card that the lock names. */
export interface OfferedCard {
  name: string;
  version: string;
  tree: string;
  source: string;
  publisher: string | null;
  hooks: readonly IndexedHook[];
}

/** What a grant means for the version that is installed. */
export type Activation =
  /** Exactly this content was approved. */
  | { state: "active"; approval: Approval }
  /** The grant covers it without a person: it only has to be compiled and recorded. */
  | { state: "joins" }
  /** A person must look first. Until then `approval`, the last one, stays in force. */
  | { state: "waits"; approval: Approval | undefined; why: WaitReason };

export type WaitReason =
  | { because: "range"; range: string }
  | { because: "source"; from: string; to: string }
  /** null: not signed. */
  | { because: "publisher"; from: string | null; to: string | null }
  /** The version was approved with other content: a published version never changes. */
  | { because: "replaced"; from: string; to: string }
  | { because: "unsigned" }
  | { because: "ceiling"; differences: CeilingDifference[] };

/** The registry on this machine, where a card that was never signed may join by itself: only its user writes there. */
export const OWN_REGISTRY = "folder:default";

export function decideActivation(grant: Grant, offered: OfferedCard): Activation {
  const approval = grant.approved.find(({ tree }) => tree === offered.tree);
  if (approval !== undefined) return { state: "active", approval };
  const why = whyItWaits(grant, offered);
  return why === undefined ? { state: "joins" } : { state: "waits", approval: grant.approved.at(-1), why };
}

function whyItWaits(grant: Grant, offered: OfferedCard): WaitReason | undefined {
  if (grant.source !== offered.source) return { because: "source", from: grant.source, to: offered.source };
  const namesake = grant.approved.findLast(({ cardVersion }) => cardVersion === offered.version);
  if (namesake !== undefined) return { because: "replaced", from: namesake.tree, to: offered.tree };
  if (!satisfies(offered.version, grant.range)) return { because: "range", range: grant.range };
  if (grant.publisher !== offered.publisher) {
    return { because: "publisher", from: grant.publisher, to: offered.publisher };
  }
  if (offered.publisher === null && offered.source !== OWN_REGISTRY) return { because: "unsigned" };
  const differences = differencesFromCeiling(grant.ceiling, consentedHooks(offered.hooks, grant.hooks));
  return differences.length > 0 ? { because: "ceiling", differences } : undefined;
}

/** What runs under an approval, in the order in which the card lists its hooks. */
export function approvedHooks(approval: Approval): { facts: HookFacts & { name: string }; bundle: string }[] {
  return approval.hooks.flatMap((facts) => {
    const bundle = Object.hasOwn(approval.bundles, facts.name) ? approval.bundles[facts.name] : undefined;
    return bundle === undefined ? [] : [{ facts, bundle }];
  });
}
