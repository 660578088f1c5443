import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type Client, clientsFolder, ensureClient, findClient } from "../e2e/clients.ts";

/** One release of Node on this machine. */
export interface NodeBinary {
  major: number;
  /** As `node --version` says it, without the `v`. */
  version: string;
  path: string;
}

export interface NodeBinaries {
  /** Sorted by version. The running Node represents its line. */
  found: NodeBinary[];
  /** Lines that aren't available here, each with the reason: whoever skips them says so. */
  missing: { major: number; reason: string }[];
}

/** The lines of Node that drwn is tested on, and releases of two more for what only they can do. */
const RELEASES: Readonly<Record<number, string>> = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };
export const TESTED_LINES: readonly number[] = [20, 22, 24];
/** The lines of Node in the table of isolation. */
export const PROBED_LINES = [20, 22, 24, 26] as const;

interface NodeRequest {
  majors?: readonly number[];
  /** Whether the network may be used for missing ones: by the benchmark, the sweeps and `npm run e2e`. */
  mayInstall: boolean;
}

/** Nodes of these lines, installed beside the clients of `test/e2e`, outside every checkout. */
export async function nodeBinaries({ majors = TESTED_LINES, mayInstall }: NodeRequest): Promise<NodeBinaries> {
  const nodes: NodeBinaries = { found: [], missing: [] };
  const own = process.versions.node;
  for (const major of [...majors].sort((left, right) => left - right)) {
    if (major === majorOf(own)) {
      nodes.found.push({ major, version: own, path: process.execPath });
      continue;
    }
    try {
      const program = await obtain(major, mayInstall);
      nodes.found.push({ major, version: versionOf(program), path: program });
    } catch (error) {
      nodes.missing.push({ major, reason: error instanceof Error ? error.message : "it cannot be installed" });
    }
  }
  return nodes;
}

async function obtain(major: number, mayInstall: boolean): Promise<string> {
  const version = RELEASES[major];
  if (version === undefined) throw new Error(`no release of Node ${major} is named in test/support/nodes.ts`);
  const folder = clientsFolder(process.env);
  const client = nodeOf(version);
  if (mayInstall) return ensureClient(folder, client);
  const program = findClient(folder, client);
  if (program === undefined) throw new Error(`Node ${version} is not installed; npm run bench installs it`);
  return program;
}

/** npm has Node's own programs, in a package for each platform. */
function nodeOf(version: string): Client {
  const name = `node-${process.platform}-${process.arch}`;
  return {
    name: "node",
    version,
    fetch: (folder) => {
      fs.writeFileSync(path.join(folder, "package.json"), '{"private":true}\n');
      const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
      const { status, error } = spawnSync("npm", ["install", ...flags, "--prefix", folder, `${name}@${version}`], {
        cwd: folder,
        stdio: ["ignore", "ignore", "inherit"],
        timeout: 300_000,
      });
      if (status !== 0) throw new Error(`npm could not install ${name}@${version}`, { cause: error });
    },
    locate: (folder) => {
      const program = path.join(folder, "node_modules", name, "bin", "node");
      if (!fs.existsSync(program)) throw new Error(`${name}@${version} has no program`);
      return program;
    },
  };
}

function versionOf(program: string): string {
  return execFileSync(program, ["--version"], { encoding: "utf8" }).trim().replace(/^v/u, "");
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}
