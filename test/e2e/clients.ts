import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { withLock } from "../../src/kernel/mutex.ts";
import { isProblem } from "../../src/kernel/problem.ts";

/** The pinned version, or the one that `DRWN_E2E_CLAUDE_CODE`, `DRWN_E2E_GEMINI_CLI` and so on name. */
export function versionOf(name: string, pinned: string): string {
  return process.env[`DRWN_E2E_${name.toUpperCase().replaceAll("-", "_")}`] || pinned;
}

/** The version with which every claim about Claude Code in this repository was tested. */
export const CLAUDE_VERSION = versionOf("claude-code", "2.1.332");

/** Waits for other runs this many times as long as the lock does. */
const ATTEMPTS = 20;
const MARKER = "complete.json";

/** A client to install: `fetch` fills an empty folder, `locate` finds the program in it or throws. */
export interface Client {
  name: string;
  version: string;
  fetch: (folder: string) => void | Promise<void>;
  locate: (folder: string) => string;
}

/** The version with which every claim about Mastra was tested. */
export const MASTRA_VERSION = versionOf("mastra", "1.71.0");

/** The version with which every claim about Codex was tested. */
export const CODEX_VERSION = versionOf("codex", "0.171.0");

/** Outside every checkout, so that clones share one copy: `$DRWN_E2E_CLIENTS`, otherwise the user's cache folder. */
export function clientsFolder(env: Readonly<Record<string, string | undefined>>): string {
  const asked = env["DRWN_E2E_CLIENTS"];
  if (asked) return path.resolve(asked);
  return path.join(env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache"), "drwn-e2e");
}

export function claudeOf(version: string): Client {
  const fetch = (target: string) => fetchPackage(target, `@anthropic-ai/claude-code@${version}`);
  return { name: "claude-code", version, fetch, locate: (folder) => locateClaude(folder, version) };
}

export function codexOf(version: string): Client {
  const fetch = (target: string) => fetchPackage(target, `@openai/codex@${version}`);
  return { name: "codex", version, fetch, locate: (folder) => locateCodex(folder, version) };
}

/** A library, so this finds the folder of its packages. With the zod of an app of its time. */
export function mastraOf(version: string): Client {
  return {
    name: "mastra",
    version,
    fetch: (target) => fetchPackage(target, `@mastra/core@${version}`, "zod@4.6.7"),
    locate: (target) => {
      const modules = path.join(target, "node_modules");
      if (!fs.existsSync(path.join(modules, "@mastra/core/package.json"))) throw new Error("@mastra/core is not there");
      return modules;
    },
  };
}

/**
 * The program's path, after installing it if necessary. A copy counts only with its marker, which is written last, so
 * an interrupted install is repeated. Two runs at once install once.
 */
export async function ensureClient(folder: string, client: Client): Promise<string> {
  const target = targetOf(folder, client);
  fs.mkdirSync(folder, { recursive: true });
  await withPatientLock(`${target}.lock`, async () => {
    if (isComplete(target, client)) return;
    const staging = `${target}.partial`;
    for (const leftover of [target, staging]) fs.rmSync(leftover, { recursive: true, force: true });
    fs.mkdirSync(staging);
    await client.fetch(staging);
    client.locate(staging);
    fs.writeFileSync(path.join(staging, MARKER), JSON.stringify({ version: client.version }));
    fs.renameSync(staging, target);
  });
  return client.locate(target);
}

/** The path of an installed program; doesn't use the network. */
export function findClient(folder: string, client: Client): string | undefined {
  const target = targetOf(folder, client);
  return isComplete(target, client) ? client.locate(target) : undefined;
}

function targetOf(folder: string, { name, version }: Client): string {
  return path.join(folder, `${name}-${version}`);
}

function isComplete(target: string, client: Client): boolean {
  if (!fs.existsSync(path.join(target, MARKER))) return false;
  try {
    client.locate(target);
    return true;
  } catch {
    // Somebody removed files of a complete copy, so it is installed again.
    return false;
  }
}

/** An install may take longer than the lock waits. */
async function withPatientLock(lockFile: string, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withLock(lockFile, work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isProblem(error) || error.code !== "DRWN_BUSY") throw error;
    }
  }
}

/** Install scripts stay off: the native program is in a separate package for each platform. */
export function fetchPackage(folder: string, ...specs: string[]): void {
  fs.writeFileSync(path.join(folder, "package.json"), '{"private":true}\n');
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=2"];
  const { status, error } = spawnSync("npm", ["install", ...flags, "--prefix", folder, ...specs], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: 600_000,
  });
  if (status !== 0) throw new Error(`npm could not install ${specs.join(" ")}`, { cause: error });
}

/** The native program itself: killing npm's launcher would leave its child running. */
function locateClaude(folder: string, version: string): string {
  const scope = path.join(folder, "node_modules", "@anthropic-ai");
  const packages = fs.existsSync(scope) ? fs.readdirSync(scope) : [];
  const program = packages
    .filter((name) => name.startsWith("claude-code-"))
    .map((name) => path.join(scope, name, "claude"))
    .find((file) => fs.existsSync(file));
  if (program === undefined) throw new Error(`claude-code ${version} has no program for this platform`);
  return program;
}

/** The native program in this platform's package, wherever the package keeps it. */
function locateCodex(folder: string, version: string): string {
  const scope = path.join(folder, "node_modules", "@openai");
  const packages = fs.existsSync(scope) ? fs.readdirSync(scope).filter((name) => name.startsWith("codex-")) : [];
  const program = packages
    .flatMap((name) => {
      const vendor = path.join(scope, name, "vendor");
      return fs.existsSync(vendor)
        ? fs.readdirSync(vendor).map((triple) => path.join(vendor, triple, "bin", "codex"))
        : [];
    })
    .find((file) => fs.existsSync(file));
  if (program === undefined) throw new Error(`codex ${version} has no program for this platform`);
  return program;
}
