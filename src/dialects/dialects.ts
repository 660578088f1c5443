import type { Imported } from "./imported.ts";
import { readPolicies } from "./read-policies.ts";

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
  loadImporter: () => Promise<(place: string) => Imported>;
}

export const HOOKER: Dialect & { program: string } = {
  name: "hooker",
  program: "dist/runtime/dialects/hooker.cjs",
  isToldEvent: false,
  isOwn: (file) => file.endsWith(".rb"),
  loadImporter: async () => {
    const { importPolicies } = await import("./hooker/import.ts");
    return (file) => importPolicies(readPolicies(file));
  },
};

const POLYTOKEN: Dialect = {
  name: "polytoken",
  program: "dist/dialects/polytoken.mjs",
  isToldEvent: true,
  isOwn: (place) => /(?:^|\/)\.?polytoken(?:\/hooks\.json|\/?)$/u.test(place),
  loadImporter: async () => (await import("./polytoken/import.ts")).importPolytoken,
};

const ASTRID: Dialect = {
  name: "astrid",
  program: "dist/dialects/astrid.mjs",
  isToldEvent: true,
  isOwn: (place) => /(?:^|\/)(?:profile:\w*|\.astrid(?:\/hooks)?\/?|(?:HOOK|hooks?)\.toml)$/u.test(place),
  loadImporter: async () => (await import("./astrid/import.ts")).importAstrid,
};

const ARAWN: Dialect = {
  name: "arawn",
  program: "dist/dialects/arawn.mjs",
  isToldEvent: true,
  isOwn: (place) => /(?:^|\/)(?:plugin\.toml|\.arawn(?:\/settings\.json|\/?))$/u.test(place),
  loadImporter: async () => (await import("./arawn/import.ts")).importArawn,
};

/** The hook settings of the agents: they run them themselves. */
const CLAUDE: Dialect = {
  name: "claude",
  isToldEvent: false,
  isOwn: (place) => /(?:^|\/)\.claude(?:\/settings(?:\.local)?\.json|\/?)$/u.test(place),
  loadImporter: async () => {
    const { importSettings } = await import("./settings/import.ts");
    return (place) => importSettings(place, "claude");
  },
};

const CODEX: Dialect = {
  name: "codex",
  isToldEvent: false,
  isOwn: (place) => /(?:^|\/)\.codex(?:\/hooks\.json|\/?)$/u.test(place),
  loadImporter: async () => {
    const { importSettings } = await import("./settings/import.ts");
    return (place) => importSettings(place, "codex");
  },
};

/** Every dialect is one entry here. */
export const DIALECTS: readonly Dialect[] = [ARAWN, ASTRID, CLAUDE, CODEX, HOOKER, POLYTOKEN];
