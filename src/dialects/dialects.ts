import type { Imported } from "./imported.ts";

/** Another hook system whose policies drwn runs as they are, and makes cards of. */
export interface Dialect {
  name: string;
  /** Its hook process, in the package: what `bin/drwn.js` starts without loading the rest. */
  program: string;
  /** Whether a file is one of its own, by the path that was typed. */
  isOwn: (file: string) => boolean;
  /** Loaded when it is needed: a dialect may bring a parser. */
  loadImporter: () => Promise<(bytes: Uint8Array) => Imported>;
}

export const HOOKER: Dialect = {
  name: "hooker",
  program: "dist/runtime/dialects/hooker.cjs",
  isOwn: (file) => file.endsWith(".rb"),
  loadImporter: async () => (await import("./hooker/import.ts")).importPolicies,
};

/** Every dialect is one entry here. */
export const DIALECTS: readonly Dialect[] = [HOOKER];
