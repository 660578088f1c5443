/** What the files of one folder below `src/` may import beside each other. */
export interface Layer {
  /** Folders below `src/`. */
  folders: readonly string[];
  /** Folders of which only types may be imported. */
  types?: readonly string[];
  /** Whether Node's own modules may be imported. */
  node: boolean;
}

const ground = ["policy", "contract", "kernel"];
const cards = [...ground, "helpers", "kernel/format", "card"];
const state = [...cards, "registry", "project", "trust", "journal"];
const hot = ["hook-base", "agents/adapters.ts", "agents/runner.ts", "agents/*/adapter.ts", "dialects/*/adapter.ts"];
const wing = [
  ...state,
  "project/open",
  "wiring",
  "agents",
  "agents/adapters.ts",
  "dialects",
  "write/plan",
  "authoring",
  "project/fetch",
  "write",
  "check",
  "check/doctor",
];

/**
 * The direction of imports: every folder of `src/` is listed, and what it does not name is closed to it. `*` stands for one folder;
 * a folder or a file within a folder has its own layer where it belongs to the other wing.
 */
export const LAYERS: Readonly<Record<string, Layer>> = {
  policy: { folders: [], node: false },
  contract: { folders: [], node: false },
  kernel: { folders: [], node: true },
  helpers: { folders: ["policy"], node: true },
  mastra: { folders: ["contract"], node: true },
  // The runtime wing.
  "hook-base": { folders: ["policy"], node: true },
  "agents/*/adapter.ts": { folders: ["policy", "hook-base"], node: true },
  "dialects/*/adapter.ts": { folders: ["policy", "hook-base"], node: true },
  "agents/runner.ts": { folders: ["policy", "hook-base"], node: true },
  "agents/adapters.ts": {
    folders: ["policy", "hook-base", "agents/*/adapter.ts", "dialects/*/adapter.ts"],
    node: false,
  },
  "dialects/hooker/run": { folders: ["policy", "hook-base", "dialects/*/data"], node: true },
  hook: { folders: ["policy", "contract", "hook-base", "agents/adapters.ts", "agents/runner.ts"], node: true },
  "hook/code-cache/make.ts": { folders: ["policy", "contract", "hook"], types: ["helpers"], node: true },
  // The CLI wing.
  "kernel/format": { folders: ["kernel"], node: true },
  card: { folders: [...ground, "helpers", "kernel/format"], node: true },
  registry: { folders: cards, node: true },
  project: { folders: cards, node: true },
  trust: { folders: cards, node: true },
  journal: { folders: [...ground, "kernel/format"], node: true },
  wiring: { folders: [...ground, "kernel/format", "card"], types: ["hook-base"], node: true },
  "project/open": { folders: [...state, "wiring"], node: true },
  "write/plan": { folders: [...state, "wiring", "project/open"], node: true },
  authoring: { folders: [...state, "project/open"], node: true },
  "project/fetch": { folders: [...state, "project/open"], node: true },
  "dialects/*/data": { folders: [], node: false },
  "dialects/*/words": { folders: ["policy", "helpers"], node: true },
  dialects: {
    folders: [
      ...ground,
      "helpers",
      "kernel/format",
      "card",
      "wiring",
      "dialects/*/adapter.ts",
      "dialects/*/words",
      "dialects/*/data",
    ],
    node: true,
  },
  agents: { folders: [...state, "wiring", "dialects", ...hot], node: true },
  write: {
    folders: [...state, "wiring", "project/open", "write/plan", "agents", "agents/adapters.ts"],
    types: ["hook-base"],
    node: true,
  },
  check: {
    folders: [...state, "wiring", "project/open", "write/plan", "agents", "agents/adapters.ts", "write"],
    node: true,
  },
  "check/doctor": {
    folders: [...state, "wiring", "project/open", "write/plan", "agents", "agents/adapters.ts", "write", "check"],
    node: true,
  },
  "authoring/proving": {
    folders: [
      ...state,
      "wiring",
      "project/open",
      "write/plan",
      "agents",
      "agents/adapters.ts",
      "authoring",
      "project/fetch",
    ],
    types: ["hook-base"],
    node: true,
  },
  operations: { folders: [...wing, "authoring/proving"], node: true },
  cli: {
    folders: ["operations", "project/open", "policy", "kernel"],
    types: [...wing, "authoring/proving"],
    node: true,
  },
};

/** Each library has one home, a file or a folder. A library that is not listed may not be imported at all. */
export const LIBRARY_HOMES: Readonly<Record<string, string>> = {
  zod: "src/kernel/format/zod.ts",
  "jsonc-parser": "src/kernel/format/",
  "smol-toml": "src/kernel/format/toml.ts",
  yaml: "src/kernel/format/yaml.ts",
  "@ruby/prism": "src/dialects/hooker/",
  "oniguruma-to-es": "src/dialects/hooker/",
  semver: "src/card/version.ts",
  tar: "src/card/archive/tarball.ts",
  esbuild: "src/card/compiler/",
  acorn: "src/card/compiler/",
  "make-fetch-happen": "src/registry/http/",
  "npm-registry-fetch": "src/registry/http/",
  "@npmcli/config": "src/registry/http/",
  diff: "src/card/archive/code-diff.ts",
  "@oclif/core": "src/cli/",
  "@clack/prompts": "src/cli/terminal/prompt.ts",
  "fast-string-width": "src/cli/terminal/style.ts",
};

/** The programs of dialects, each a process of its own. */
const PROGRAMS = ["src/dialects/*/main.ts"];

/** Who may print, and end the process. */
export const TALKERS = [
  "src/cli/",
  "src/mastra/",
  "src/hook-base/",
  "src/hook/",
  "src/dialects/hooker/run/",
  ...PROGRAMS,
];

/** Who may read the environment and the working folder. */
export const MACHINE_READERS = [
  ...PROGRAMS,
  "src/helpers/outside/programs.ts",
  "src/kernel/host.ts",
  "src/mastra/",
  "src/hook-base/",
  "src/hook/",
  "src/dialects/hooker/run/",
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
