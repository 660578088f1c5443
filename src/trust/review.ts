import type { CardFiles } from "../card/files.ts";
import type { IndexedHook } from "../card/hook-index.ts";
import { summaryOf } from "../card/summary.ts";
import type { Grant } from "../contract/ledger.ts";
import { type CeilingDifference, differencesFromCeiling } from "./ceiling.ts";

/** What a person is shown before a consent. All text in it is the card's own: it is cleaned where it is printed. */
export interface Review {
  card: string;
  version: string;
  source: string;
  /** null: the card is not signed. */
  publisher: string | null;
  /** Whose versions the consent in force is for; null at the first consent, and where nobody signed. */
  formerPublisher: string | null;
  tree: string;
  range: string;
  description: string;
  hooks: ReviewedHook[];
  /** Against the consent that is in force; empty at the first. */
  differences: CeilingDifference[];
  /** The version that is in force now; null at the first consent. */
  replaces: string | null;
}

export interface ReviewedHook extends IndexedHook {
  /** Bytes of the hook's source files. */
  size: number;
  /** First line of hooks/<name>/README.md that is not empty, without its `#`. */
  summary: string;
}

interface ReviewRequest {
  card: string;
  version: string;
  source: string;
  publisher: string | null;
  tree: string;
  range: string;
  description: string;
  hooks: readonly IndexedHook[];
  files: CardFiles;
}

export function reviewCard(request: ReviewRequest, former: Grant | undefined): Review {
  const { files, hooks, ...about } = request;
  return {
    ...about,
    formerPublisher: former?.publisher ?? null,
    hooks: hooks.map((hook) => ({ ...hook, size: sizeOf(hook, files), summary: summaryOf(hook.name, files) })),
    differences: former === undefined ? [] : differencesFromCeiling(former.ceiling, hooks),
    replaces: former?.approved.at(-1)?.cardVersion ?? null,
  };
}

function sizeOf(hook: IndexedHook, files: CardFiles): number {
  return hook.files.reduce((bytes, file) => bytes + (files.get(file)?.length ?? 0), 0);
}
