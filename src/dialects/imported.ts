import type { Capability } from "../contract/plan.ts";

/** What a dialect makes of its own files for a card. */
export interface Imported {
  /** In the order in which they are to be asked. */
  hooks: ImportedHook[];
  differences: Difference[];
}

export interface ImportedHook {
  /** A hook name that no other one of these has. */
  name: string;
  /** The text of policy.ts; absent where `files` hold a handler.json. */
  policy?: string;
  /** Further files of the hook's folder, by their name in it. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  readme: string;
  capabilities: Capability[];
}

/** Something that the card will do otherwise, or not at all. */
export interface Difference {
  /** The name that the policy has in its own system. */
  policy: string;
  /** Null: it was not imported. */
  hook: string | null;
  line: number;
  what: string;
}
