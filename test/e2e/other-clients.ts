import fs from "node:fs";
import path from "node:path";
import { type Client, fetchPackage, versionOf } from "./clients.ts";

/** A client that the gate does without: it is used if it is installed, and DRWN_E2E_ALL=1 installs it. */
function npmClient(name: string, pinned: string, npm: string, programs: readonly string[]): Client {
  const version = versionOf(name, pinned);
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

/** By name, with the versions with which every claim about them was tested. */
export const OTHER_CLIENTS = {
  gemini: npmClient("gemini-cli", "0.61.0", "@google/gemini-cli", ["@google/gemini-cli/bundle/gemini.js"]),
  copilot: npmClient("copilot-cli", "1.0.102", "@github/copilot", [`@github/copilot-${platform}/copilot`]),
  opencode: npmClient("opencode", "1.18.33", "opencode-ai", [`opencode-${platform}/bin/opencode`]),
  qwen: npmClient("qwen-code", "0.24.4", "@qwen-code/qwen-code", ["@qwen-code/qwen-code/cli.js"]),
  pi: npmClient("pi", "1.6.0", "@earendil-works/pi-coding-agent", [
    "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
  ]),
  kilo: npmClient("kilo", "7.7.9", `@kilocode/cli-${platform}`, [`@kilocode/cli-${platform}/bin/kilo`]),
} as const;

export type OtherClient = keyof typeof OTHER_CLIENTS;

/** Why cases of this client are left out if it isn't installed. */
export function missing(client: OtherClient): string {
  const { name, version } = OTHER_CLIENTS[client];
  return `${name} ${version} is not installed; DRWN_E2E_ALL=1 installs it`;
}
