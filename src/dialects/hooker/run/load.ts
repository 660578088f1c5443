import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { digestOfFile } from "../../../hook-base/digest.ts";
import { HOOKER_DATA_VERSION, type HookerFile, type HookerPolicy } from "../data/policies.ts";
import type { HookerCall } from "./call.ts";
import { strip } from "./ruby-text.ts";

export interface LoadedPolicies extends HookerPolicy {
  /** The folder to which its files are relative. */
  root: string;
}

interface Pending {
  root: Root;
  bytes: Buffer;
  cache: string;
  data: HookerFile | undefined;
}

const LARGEST_FILE = 16 * 1024 * 1024;
const READER_MS = 20_000;
const MOST_DATA = 512 * 1024 * 1024;
const KEPT_MS = 30 * 86_400_000;

/** The policies of all files, in order. A file that cannot be read becomes a warning and gives no policies. */
export function loadPolicies(roots: readonly Root[], call: HookerCall): LoadedPolicies[] {
  const folder = cacheFolder(call);
  const files = roots.map((root) => open(root, folder));
  const missing = files.filter((file) => typeof file !== "string" && file.data === undefined) as Pending[];
  if (missing.length > 0) compile(missing, folder);
  return files.flatMap((file) => {
    if (typeof file === "string") call.warnings.add(`failed to load policies: ${file}`);
    else if (file.data === undefined)
      call.warnings.add(`failed to load policies: ${file.root.file}: it was not read in time`);
    else if ("error" in file.data) call.warnings.add(`failed to load policies: ${file.root.file}: ${file.data.error}`);
    else return file.data.policies.map((policy) => ({ ...policy, root: file.root.folder }));
    return [];
  });
}

function open(root: Root, folder: string): Pending | string {
  const { file, stat } = root;
  if (stat.isDirectory()) return `Is a directory @ io_fread - ${file}`;
  if (!stat.isFile()) return `not a file - ${file}`;
  if (stat.size > LARGEST_FILE) return `larger than ${LARGEST_FILE} bytes - ${file}`;
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return `${code === "EACCES" ? "Permission denied" : String(code)} @ rb_sysopen - ${file}`;
  }
  const cache = `${folder}/${HOOKER_DATA_VERSION}-${digestOfFile(bytes)}.json`;
  return { root, bytes, cache, data: readCache(cache) };
}

/** A cache that cannot be used is made again. */
function readCache(file: string): HookerFile | undefined {
  if (statOf(file) === undefined) return undefined;
  try {
    const data: HookerFile = JSON.parse(readFileSync(file, "utf8"));
    return "error" in data || Array.isArray(data.policies) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Reads Ruby in a process of its own, so that this one never loads the parser and doesn't fail with it. */
function compile(files: readonly Pending[], folder: string): void {
  const { spawnSync }: typeof import("node:child_process") = require("node:child_process");
  const { stdout, status } = spawnSync(process.execPath, [`${__dirname}/../dialects/hooker/reader.cjs`], {
    input: JSON.stringify(files.map(({ bytes }) => bytes.toString("base64"))),
    env: {},
    timeout: READER_MS,
    killSignal: "SIGKILL",
    maxBuffer: MOST_DATA,
    stdio: ["pipe", "pipe", "ignore"],
  });
  if (status !== 0) return;
  const read: HookerFile[] = JSON.parse(stdout.toString("utf8"));
  for (const [at, file] of files.entries()) {
    file.data = read[at];
    keep(file);
  }
  sweep(folder);
}

/** A cache that cannot be written only costs time. */
function keep({ cache, data }: Pending): void {
  const temporary = `${cache}.${process.pid}`;
  try {
    mkdirSync(cache.slice(0, cache.lastIndexOf("/")), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify(data), { mode: 0o600 });
    renameSync(temporary, cache);
  } catch {
    if (statOf(temporary) !== undefined) rmSync(temporary, { force: true });
  }
}

function sweep(folder: string): void {
  try {
    const before = Date.now() - KEPT_MS;
    for (const name of readdirSync(folder)) {
      const file = `${folder}/${name}`;
      if (statSync(file).mtimeMs < before) rmSync(file, { force: true });
    }
  } catch {
    // Another process may be sweeping, too.
  }
}

function cacheFolder({ env }: HookerCall): string {
  const home = env["DRWN_HOME"];
  if (home?.startsWith("/")) return `${home}/dialects/hooker`;
  const { homedir }: typeof import("node:os") = require("node:os");
  return `${env["HOME"] || homedir()}/.agents/drwn/dialects/hooker`;
}

const POLICIES_FILE = ".claude/policies.rb";

interface Root {
  folder: string;
  file: string;
  stat: Stats;
}

/** Every folder with a policies.rb, from this one up to `/`, the outermost first. */
export function findRoots(cwd: string): Root[] {
  const roots: Root[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = folder === "/" ? `/${POLICIES_FILE}` : `${folder}/${POLICIES_FILE}`;
    const stat = statOf(file);
    if (stat !== undefined) roots.push({ folder, file, stat });
    if (folder === "/") return roots.reverse();
  }
}

/** To Ruby, a file that cannot be looked at doesn't exist. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Loads the variables of the deepest root's `.env`. Variables that are already set win. */
export function loadDotEnv(folder: string, { env, warnings }: HookerCall): void {
  const file = `${folder === "/" ? "" : folder}/.env`;
  if (statOf(file)?.isFile() !== true) return;
  try {
    for (const line of readFileSync(file, "utf8").split("\n").map(strip)) {
      const equals = line.indexOf("=");
      if (line.startsWith("#") || equals < 1) continue;
      const name = line.slice(0, equals);
      // hooker reads these before it reads an `.env`.
      if (name !== "SCREEN_HOME" && name !== "SPILL_HOME") env[name] ??= line.slice(equals + 1);
    }
  } catch (error) {
    warnings.add(`failed to load .env: ${error instanceof Error ? error.message : ""}`);
  }
}
