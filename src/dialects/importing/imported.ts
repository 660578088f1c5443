import type { Capability } from "../../contract/plan.ts";
import { readIfThere } from "../../kernel/files.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import type { LifecycleEvent } from "../../policy/lifecycle-events.ts";

/**
 * Says in which agents a card's hook on this event is asked. The list of agents is above all foreign systems, so they
 * get it handed in.
 */
export type DescribeCoverage = (event: LifecycleEvent, isToolPolicy?: boolean) => string;

/** What a dialect makes out of its own files for a card. */
export interface Imported {
  /** In the order in which to ask them. */
  hooks: ImportedHook[];
  differences: Difference[];
}

export interface ImportedHook {
  /** A hook name that none of the others has. */
  name: string;
  /** The text of policy.ts; absent if `files` holds a handler.json. */
  policy?: string;
  /** More files of the hook's folder, by name. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  readme: string;
  capabilities: Capability[];
}

/** Something that the card does differently or doesn't do. */
export interface Difference {
  /** The policy's name in its own system. */
  policy: string;
  /** Null: it wasn't imported. */
  hook: string | null;
  line: number;
  what: string;
}

/** Why the entries that `drwn write` makes are left out. Nothing is missing without them. */
export const ASKS_DRWN = "it asks drwn, and what drwn answers is in cards already";

/** What differs for hooks that their own system asks one after the other, up to the first that holds. */
export const AT_ONCE =
  "hooks on the same event may run at the same time; the first in their order that holds it speaks";

/** What differs for every hook of every system. */
export const IN_ANY_CARD =
  "a reason is cut after 2048 characters, control characters in it are written out, and a failure is told in drwn's words around its own";

/** Another hook system whose policies drwn runs as they are and turns into cards. */
export interface Dialect {
  name: string;
  /**
   * Its hook program in the package, which `bin/drwn.js` starts without loading the rest. Absent: drwn only imports
   * from it.
   */
  program?: string;
  /**
   * Whether its program gets the event and the folder of the hooks as arguments; otherwise the event itself has both.
   */
  isToldEvent: boolean;
  /** Whether a file or folder belongs to this system, by the path that was typed. */
  isOwn: (place: string) => boolean;
  /**
   * Loaded only when needed, since a dialect may bring a parser. The importer reads the file, or looks for files in the
   * folder.
   */
  loadImporter: () => Promise<(place: string, describeReach: DescribeCoverage) => Imported>;
}

const MAXIMUM_BYTES = 16 * 1024 * 1024;

/** The bytes of a file of policies. */
export function readPolicies(file: string): Buffer {
  try {
    const bytes = readIfThere(file, MAXIMUM_BYTES);
    if (bytes !== undefined) return bytes;
  } catch (cause) {
    if (isProblem(cause)) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    throw new Problem("DRWN_POLICIES_UNREADABLE", `${clean(file)} cannot be read: ${code}`, { cause });
  }
  throw new Problem("DRWN_POLICIES_UNREADABLE", `${clean(file)} cannot be read: ENOENT`);
}
