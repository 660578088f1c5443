/** What the files of one folder below `src/` may import beside each other. */
export interface Floor {
  /** Folders below `src/`. */
  folders: readonly string[];
  /** Folders of which only types may be imported. */
  types?: readonly string[];
  /** Whether Node's own modules may be imported. */
  node: boolean;
}

const ground = ["policy", "contract", "kernel"];
const cards = [...ground, "helpers", "format", "card"];
const state = [...cards, "registry", "store", "project", "trust", "journal"];
const hot = ["hot", "agents/adapters", "agents/*/adapter", "systems/*/adapter"];
const wing = [
  ...state,
  "workspace",
  "wiring",
  "agents",
  "agents/adapters",
  "systems",
  "plan",
  "authoring",
  "supply",
  "materialize",
  "guarding",
  "doctor",
];

/**
 * The direction of imports: every folder of `src/` is listed, and what it does not name is closed to it. `*` stands for one folder;
 * a folder within a folder has its own floor where it belongs to the other wing.
 */
export const FLOORS: Readonly<Record<string, Floor>> = {
  policy: { folders: [], node: false },
  contract: { folders: [], node: false },
  kernel: { folders: [], node: true },
  helpers: { folders: ["policy"], node: true },
  mastra: { folders: ["contract"], node: true },
  // The runtime wing.
  hot: { folders: ["policy"], node: true },
  "agents/*/adapter": { folders: ["policy", "hot"], node: true },
  "systems/*/adapter": { folders: ["policy", "hot"], node: true },
  "agents/adapters": { folders: ["policy", "hot", "agents/*/adapter", "systems/*/adapter"], node: false },
  "systems/hooker/run": { folders: ["policy", "hot", "systems/*/data"], node: true },
  runtime: { folders: ["policy", "contract", "hot", "agents/adapters", "agents/*/adapter"], node: true },
  // The CLI wing.
  format: { folders: ["kernel"], node: true },
  card: { folders: [...ground, "helpers", "format"], node: true },
  registry: { folders: cards, node: true },
  store: { folders: cards, node: true },
  project: { folders: cards, node: true },
  trust: { folders: cards, node: true },
  journal: { folders: [...ground, "format"], node: true },
  wiring: { folders: [...ground, "format", "card"], types: ["hot"], node: true },
  workspace: { folders: [...state, "wiring"], node: true },
  plan: { folders: [...state, "wiring", "workspace"], node: true },
  authoring: { folders: [...state, "workspace"], node: true },
  supply: { folders: [...state, "workspace"], node: true },
  "systems/*/data": { folders: [], node: false },
  "systems/*/words": { folders: ["policy", "helpers"], node: true },
  systems: {
    folders: [
      ...ground,
      "helpers",
      "format",
      "card",
      "wiring",
      "systems/*/adapter",
      "systems/*/words",
      "systems/*/data",
    ],
    node: true,
  },
  agents: { folders: [...state, "wiring", "systems", ...hot], node: true },
  materialize: {
    folders: [...state, "wiring", "workspace", "plan", "agents", "agents/adapters"],
    types: ["hot"],
    node: true,
  },
  guarding: {
    folders: [...state, "wiring", "workspace", "plan", "agents", "agents/adapters", "materialize"],
    node: true,
  },
  doctor: {
    folders: [...state, "wiring", "workspace", "plan", "agents", "agents/adapters", "materialize", "guarding"],
    node: true,
  },
  proving: {
    folders: [...state, "wiring", "workspace", "plan", "agents", "agents/adapters", "authoring", "supply"],
    types: ["hot"],
    node: true,
  },
  operations: { folders: [...wing, "proving"], node: true },
  cli: { folders: ["operations", "kernel"], types: [...wing, "proving"], node: true },
};

/** Each library has one home, a file or a folder. A library that is not listed may not be imported at all. */
export const LIBRARY_HOMES: Readonly<Record<string, string>> = {
  zod: "src/format/zod.ts",
  "jsonc-parser": "src/format/",
  "smol-toml": "src/format/toml.ts",
  yaml: "src/format/yaml.ts",
  "@ruby/prism": "src/systems/hooker/",
  "oniguruma-to-es": "src/systems/hooker/",
  semver: "src/card/version.ts",
  tar: "src/card/archive/tarball.ts",
  picomatch: "src/card/matcher.ts",
  esbuild: "src/card/compiler/",
  acorn: "src/card/compiler/",
  "make-fetch-happen": "src/registry/http/",
  "npm-registry-fetch": "src/registry/http/",
  "@npmcli/agent": "src/registry/http/",
  "@npmcli/config": "src/registry/http/",
  libnpmpublish: "src/registry/npm/",
  ssri: "src/registry/npm/",
  execa: "src/registry/git/",
  diff: "src/card/archive/code-diff.ts",
  conf: "src/operations/preferences.ts",
  "@oclif/core": "src/cli/",
  "@clack/prompts": "src/cli/terminal/prompt.ts",
  "fast-string-width": "src/cli/terminal/width.ts",
};

/** The programs of dialects, each a process of its own. */
const PROGRAMS = ["src/systems/*/main.ts"];

/** Who may print, and end the process. */
export const TALKERS = ["src/cli/", "src/mastra/", "src/hot/", "src/runtime/", "src/systems/hooker/run/", ...PROGRAMS];

/** Who may read the environment and the working folder. */
export const MACHINE_READERS = [
  ...PROGRAMS,
  "src/helpers/outside/programs.ts",
  "src/kernel/host.ts",
  "src/mastra/",
  "src/hot/",
  "src/runtime/",
  "src/systems/hooker/run/",
];

/** oclif finds a command by its default export. */
export const DEFAULT_EXPORTERS = ["src/cli/commands/"];

/** A module of these takes the place of another one where a policy has no capabilities, so it exports the same names. */
export const STAND_INS = ["src/helpers/outside/no-programs.ts", "src/helpers/outside/no-project-texts.ts"];

export const MOST_LINES = 500;

/** Files beside each other in one folder. */
export const MOST_SIBLINGS = 25;

/** Folders that may have more: each is a list of alike things, one file for one of them. */
export const LISTS = ["src/cli/commands/"];

/** Whether a file is one of these homes, or lies in one that ends with a slash. `*` stands for one folder. */
export function livesIn(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => {
    const pattern = home.replaceAll(".", "\\.").replaceAll("*", "[^/]+");
    return new RegExp(`^${pattern}${home.endsWith("/") ? "" : "$"}`, "u").test(path);
  });
}
