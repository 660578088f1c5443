import type { Capability } from "../../contract/plan.ts";
import type { LifecycleEvent } from "../../policy/taxonomy.ts";
import type { Target } from "../../wiring/target.ts";

/** Where a card's hook on this event is asked: in which agents. The list of agents is above all foreign systems, so it is handed to them. */
export type DescribeReach = (event: LifecycleEvent, isToolPolicy?: boolean) => string;

/** What a dialect makes of its own files for a card. */
export interface Imported {
  /** In the order in which to ask them. */
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

/** Why the entries that `drwn write` makes are left out: nothing is missed with them. */
export const ASKS_DRWN = "it asks drwn, and what drwn answers is in cards already";

/** What is otherwise for hooks that their own system asks one after the other, up to the first that holds. */
export const AT_ONCE =
  "hooks on the same event may run at the same time; the first in their order that holds it speaks";

/** What is otherwise for every hook of every system. */
export const IN_ANY_CARD =
  "a reason is cut after 2048 characters, control characters in it are written out, and a failure is told in drwn's words around its own";

/** Another hook system whose policies drwn runs as they are, and makes cards of. */
export interface Dialect {
  name: string;
  /** Its hook process, in the package: what `bin/drwn.js` starts without loading the rest. Absent: it is only imported. */
  program?: string;
  /** Whether its program is told the event and the folder whose hooks answer it; otherwise the event itself says both. */
  isToldEvent: boolean;
  /** Whether a file or folder is one of its own, by the path that was typed. */
  isOwn: (place: string) => boolean;
  /** Loaded when it is needed: a dialect may bring a parser. What it gives reads the file, or looks for files in the folder. */
  loadImporter: () => Promise<(place: string, describeReach: DescribeReach) => Imported>;
  /** What drwn writes for it, where it is an agent that isn't listed among the agents. */
  target?: Target;
}
