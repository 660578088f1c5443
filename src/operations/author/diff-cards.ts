import { diffFiles, type FileDiff } from "../../card/archive/code-diff.ts";
import { INDEX_FILE, type IndexedHook } from "../../card/hooks/hook-index.ts";
import { parseTypedCard } from "../../card/spec.ts";
import { isVersion } from "../../card/version.ts";
import type { Host } from "../../kernel/host.ts";
import { type FetchedCard, fetchVerified } from "../../project/fetch/fetch-card.ts";
import { resolveRequested } from "../../project/fetch/lock-card.ts";
import { type CardChange, listChanges } from "../../registry/bump.ts";
import { lookUpCard } from "../../registry/resolve.ts";
import { type CeilingDifference, differencesFromCeiling, toCeiling } from "../../trust/ceiling.ts";

/** One of the two cards that are compared. */
export interface ComparedCard {
  name: string;
  version: string;
  tree: string;
  publisher: string | null;
}

export interface CardDiff {
  from: ComparedCard;
  to: ComparedCard;
  /** Why the second would not join a consent to the first: hooks, kinds, matchers, phases, time, capabilities. */
  hooks: CeilingDifference[];
  /** Hooks of the same name whose code differs. */
  code: string[];
  /** What a user of the card notices, with the version step that it asks for. */
  changes: CardChange[];
  files: FileDiff[];
}

/** Compares two published cards: facts first, then files, then code. Runs nothing in them, and keeps nothing. */
export async function diffCards(host: Host, from: string, to: string): Promise<CardDiff> {
  const first = await fetchSpec(host, from);
  // A version alone means one of the same card.
  const second = await fetchSpec(host, isVersion(to) ? `${first.name}@${to}` : to);
  return {
    from: describe(first),
    to: describe(second),
    hooks: differencesFromCeiling(toCeiling(first.hooks), second.hooks),
    code: changedHooks(first.hooks, second.hooks),
    changes: listChanges(first, second),
    // Everything in the index shows in the other parts.
    files: diffFiles(first.files, second.files).filter(({ path }) => path !== INDEX_FILE),
  };
}

async function fetchSpec(host: Host, spec: string): Promise<FetchedCard> {
  const { registry, published } = await resolveRequested(
    { host, base: host.cwd, isLook: true },
    parseTypedCard(spec),
    lookUpCard,
  );
  return fetchVerified(host, registry, published);
}

function changedHooks(before: readonly IndexedHook[], after: readonly IndexedHook[]): string[] {
  const digests = new Map(before.map(({ name, digest }) => [name, digest]));
  return after.filter(({ name, digest }) => digests.has(name) && digests.get(name) !== digest).map(({ name }) => name);
}

function describe({ name, version, tree, signature }: FetchedCard): ComparedCard {
  return { name, version, tree, publisher: signature?.publisher ?? null };
}

export type { DiffHunk, FileDiff } from "../../card/archive/code-diff.ts";
