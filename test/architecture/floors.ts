/** What the files of one folder below `src/` may import beside each other. */
export interface Floor {
  /** Folders below `src/`. */
  folders: readonly string[];
  /** Folders of which only types may be imported. */
  types?: readonly string[];
  /** Single files of folders that are closed otherwise. */
  files?: readonly string[];
  /** Whether Node's own modules may be imported. */
  node: boolean;
}

const ground = ["policy", "contract", "kernel"];
const cards = [...ground, "helpers", "format", "card"];
const state = [...cards, "registry", "store", "project", "trust", "journal"];
const wing = [...state, "agents", "agents/adapter", "dialects", "materialize", "doctor"];

/** The direction of imports: every folder of `src/` is listed, and what it does not name is closed to it. */
export const FLOORS: Readonly<Record<string, Floor>> = {
  policy: { folders: [], node: false },
  contract: { folders: [], node: false },
  helpers: { folders: ["policy"], node: true },
  mastra: { folders: ["contract"], node: true },
  kernel: { folders: [], node: true },
  runtime: { folders: ["policy", "contract", "agents/adapter"], files: ["src/kernel/digest.ts"], node: true },
  "agents/adapter": {
    folders: ["policy", "contract"],
    files: ["src/runtime/json-text.ts", "src/runtime/primordials.ts", "src/runtime/read-input.ts"],
    node: true,
  },
  agents: { folders: [...state, "materialize", "agents/adapter", "dialects"], node: true },
  format: { folders: ["kernel"], node: true },
  card: { folders: [...ground, "helpers", "format"], node: true },
  registry: { folders: cards, node: true },
  store: { folders: cards, node: true },
  project: { folders: cards, node: true },
  trust: { folders: cards, node: true },
  journal: { folders: [...ground, "format"], node: true },
  materialize: { folders: [...state, "agents", "agents/adapter"], node: true },
  dialects: { folders: [...ground, "helpers", "format", "card", "agents/adapter"], node: true },
  doctor: { folders: [...state, "agents", "agents/adapter", "materialize"], node: true },
  operations: { folders: wing, node: true },
  cli: { folders: ["operations", "kernel"], types: wing, node: true },
};

/** Each library has one home, a file or a folder. A library that is not listed may not be imported at all. */
export const LIBRARY_HOMES: Readonly<Record<string, string>> = {
  zod: "src/format/zod.ts",
  "jsonc-parser": "src/format/",
  "smol-toml": "src/format/toml.ts",
  yaml: "src/format/yaml.ts",
  "@ruby/prism": "src/dialects/hooker/",
  "oniguruma-to-es": "src/dialects/hooker/",
  semver: "src/card/version.ts",
  tar: "src/card/tarball.ts",
  picomatch: "src/card/matcher.ts",
  esbuild: "src/card/compiler/",
  "make-fetch-happen": "src/registry/http/",
  "npm-registry-fetch": "src/registry/http/",
  "@npmcli/agent": "src/registry/http/",
  "@npmcli/config": "src/registry/http/",
  libnpmpublish: "src/registry/npm/",
  ssri: "src/registry/npm/",
  execa: "src/registry/git/",
  diff: "src/card/code-diff.ts",
  "@oclif/core": "src/cli/",
  "@clack/prompts": "src/cli/prompt.ts",
};

/** The programs of dialects, each a process of its own. */
const PROGRAMS = ["src/dialects/arawn/main.ts", "src/dialects/astrid/main.ts", "src/dialects/polytoken/main.ts"];

/** Who may print, and end the process. */
export const TALKERS = ["src/cli/", "src/mastra/", "src/runtime/", ...PROGRAMS];

/** Who may read the environment and the working folder. */
export const MACHINE_READERS = [
  ...PROGRAMS,
  "src/helpers/programs.ts",
  "src/kernel/host.ts",
  "src/mastra/",
  "src/runtime/",
];

/** oclif finds a command by its default export. */
export const DEFAULT_EXPORTERS = ["src/cli/commands/"];

export const MOST_LINES = 250;

/** Whether a file is one of these homes, or lies in one that ends with a slash. */
export function livesIn(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => (home.endsWith("/") ? path.startsWith(home) : path === home));
}
