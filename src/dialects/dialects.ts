import { type Dialect, readPolicies } from "./importing/imported.ts";

const ARAWN: Dialect = {
  name: "arawn",
  program: "dist/systems/arawn.mjs",
  isToldEvent: true,
  isOwn: (place) => /(?:^|\/)(?:plugin\.toml|\.arawn(?:\/settings\.json|\/?))$/u.test(place),
  loadImporter: async () => (await import("./arawn/card/import.ts")).importArawn,
};

const ASTRID: Dialect = {
  name: "astrid",
  program: "dist/systems/astrid.mjs",
  isToldEvent: true,
  isOwn: (place) => /(?:^|\/)(?:profile:\w*|\.astrid(?:\/hooks)?\/?|(?:HOOK|hooks?)\.toml)$/u.test(place),
  loadImporter: async () => (await import("./astrid/card/import.ts")).importAstrid,
};

/** The agents' own hook settings: the agents run these hooks themselves, so there is no program. */
const CLAUDE: Dialect = {
  name: "claude",
  isToldEvent: false,
  // A plugin keeps its hooks in hooks/hooks.json.
  isOwn: (place) => /(?:^|\/)(?:\.claude(?:-plugin)?\/?|settings(?:\.local)?\.json|hooks\/hooks\.json)$/u.test(place),
  loadImporter: async () => {
    const { importSettings } = await import("./settings/import.ts");
    return (place, describeReach) => importSettings(place, { owner: "claude", describeReach });
  },
};

const CODEX: Dialect = {
  name: "codex",
  isToldEvent: false,
  isOwn: (place) => /(?:^|\/)\.codex(?:\/hooks\.json|\/?)$/u.test(place),
  loadImporter: async () => {
    const { importSettings } = await import("./settings/import.ts");
    return (place, describeReach) => importSettings(place, { owner: "codex", describeReach });
  },
};

export const HOOKER: Dialect & { program: string } = {
  name: "hooker",
  program: "dist/systems/hooker.cjs",
  isToldEvent: false,
  isOwn: (file) => file.endsWith(".rb"),
  loadImporter: async () => {
    const { importHooker } = await import("./hooker/card/import.ts");
    return (file, describeReach) => importHooker(readPolicies(file), describeReach);
  },
};

const POLYTOKEN: Dialect = {
  name: "polytoken",
  program: "dist/systems/polytoken.mjs",
  isToldEvent: true,
  isOwn: (place) => /(?:^|\/)\.?polytoken(?:\/hooks\.json|\/?)$/u.test(place),
  loadImporter: async () => (await import("./polytoken/card/import.ts")).importPolytoken,
};

/**
 * Every foreign hook system, each in a folder here. Their tool calls are in `agents/adapters.ts`, in the other
 * wing.
 */
export const DIALECTS: readonly Dialect[] = [ARAWN, ASTRID, CLAUDE, CODEX, HOOKER, POLYTOKEN];
