import fs from "node:fs";
import path from "node:path";
import { type Client, claudeOf, codexOf, fetchPackage, mastraOf, versionOf } from "./clients.ts";

interface Package {
  name: string;
  npm: string;
  /** Where its program may be, below `node_modules`. */
  programs: readonly string[];
}

/** A client that the gate does without: it is used if it is installed, and DRWN_E2E_ALL=1 installs it. */
function npmClient({ name, npm, programs }: Package, version: string): Client {
  return {
    name,
    version,
    fetch: (folder) => fetchPackage(folder, `${npm}@${version}`),
    locate: (folder) => {
      const files = programs.map((program) => path.join(folder, "node_modules", program));
      const found = files.find((file) => fs.existsSync(file));
      if (found === undefined) throw new Error(`${name} ${version} has no program for this platform`);
      return found;
    },
  };
}

const platform = `${process.platform}-${process.arch}`;

const PACKAGES = {
  gemini: { name: "gemini-cli", npm: "@google/gemini-cli", programs: ["@google/gemini-cli/bundle/gemini.js"] },
  copilot: { name: "copilot-cli", npm: "@github/copilot", programs: [`@github/copilot-${platform}/copilot`] },
  opencode: { name: "opencode", npm: "opencode-ai", programs: [`opencode-${platform}/bin/opencode`] },
  qwen: { name: "qwen-code", npm: "@qwen-code/qwen-code", programs: ["@qwen-code/qwen-code/cli.js"] },
  pi: {
    name: "pi",
    npm: "@earendil-works/pi-coding-agent",
    programs: ["@earendil-works/pi-coding-agent/dist/bundle/cli.js"],
  },
  kilo: { name: "kilo", npm: `@kilocode/cli-${platform}`, programs: [`@kilocode/cli-${platform}/bin/kilo`] },
} as const satisfies Readonly<Record<string, Package>>;

/** With these versions every claim about the other clients was tested. */
export const OTHER_CLIENTS = clientsOf({
  gemini: "0.61.0",
  copilot: "1.0.102",
  opencode: "1.18.33",
  qwen: "0.24.4",
  pi: "1.6.0",
  kilo: "7.7.9",
});

/** The version before each: somebody who hasn't updated yet is guarded, too. */
export const EARLIER = {
  claude: claudeOf("2.1.331"),
  codex: codexOf("0.169.0"),
  mastra: mastraOf("1.70.0"),
  ...clientsOf(
    { gemini: "0.60.0", copilot: "1.0.92", opencode: "1.18.32", qwen: "0.24.3", pi: "1.5.2", kilo: "7.7.7" },
    (_, version) => version,
  ),
} as const;

function clientsOf(
  versions: Readonly<Record<keyof typeof PACKAGES, string>>,
  choose: typeof versionOf = versionOf,
): Readonly<Record<keyof typeof PACKAGES, Client>> {
  const clients = Object.entries(PACKAGES).map(([client, of]) => [
    client,
    npmClient(of, choose(of.name, versions[client as keyof typeof PACKAGES])),
  ]);
  return Object.fromEntries(clients);
}

export type OtherClient = keyof typeof OTHER_CLIENTS;

/** Why cases of this client are left out if it isn't installed. */
export function missing(client: OtherClient): string {
  const { name, version } = OTHER_CLIENTS[client];
  return `${name} ${version} is not installed; DRWN_E2E_ALL=1 installs it`;
}
