import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import {
  CACHE_KINDS,
  type CacheKind,
  CODE_START,
  codeCacheOf,
  codeIn,
  flagsFor,
  LARGEST_CODE_CACHE,
  MARK_BYTES,
  SHARD_CACHE_KINDS,
} from "../contract/code-cache.ts";
import { layout } from "../contract/layout.ts";
import { digestOf } from "../kernel/digest.ts";
import { listFolder, packageFile, readIfThere, writeAtomic } from "../kernel/files.ts";

/** A file of cached code. */
interface CodeCache {
  file: string;
  kind: CacheKind;
  /** The hook program, or the shards of a plan. */
  sources: readonly string[];
}

/** A plan in force, and its shards by digest. */
interface ShardedPlanFiles {
  key: string;
  plan: string;
  shards: readonly string[];
}

/**
 * Makes V8's cached code of the installed hook programs and of a plan's shards, unless it is there already for these and
 * this Node, and removes that of plans that are gone or that another drwn made. No call needs it, but each takes a sixth less CPU time with it. So
 * no failure here makes `drwn write` fail.
 */
export async function cacheCode(
  home: string,
  nodePath: string,
  { key, plan, shards }: ShardedPlanFiles,
): Promise<void> {
  try {
    const mark = markOf(nodePath);
    for (const { file, project } of listShardCaches(home))
      if (project === undefined || markIn(readRegular(file)) !== mark) fs.rmSync(file, { force: true });
    const sources = [...shards].sort().map((digest) => layout.shard(home, key, digest));
    const ofPlan = SHARD_CACHE_KINDS.map((kind) => ({ file: layout.shardCache(home, plan, kind), kind, sources }));
    const wanted = [...listProgramCaches(binOf(home)), ...(sources.length === 0 ? [] : ofPlan)];
    const missing = wanted.filter((cache) => !isCurrent(cache, mark));
    for (const [cache, content] of await makeCaches(nodePath, mark, missing)) {
      // A cache contains the text: if others may not read that in the shards, they must not read it here.
      if (isWhole(content, cache)) writeAtomic(cache.file, content, cache.sources === sources ? 0o600 : 0o644);
    }
  } catch {
    // A Node that doesn't know all of these flags, or a full disk: the hook also judges calls without cached code.
  }
}

/** Files that the hook accepts as V8's but this Node makes differently: their author decides what the hook does. */
export async function findForgedCode(home: string, nodePath: string): Promise<string[]> {
  const ofPlans = listShardCaches(home).flatMap(({ file, kind, project }): CodeCache[] => {
    if (project === undefined) return [];
    // The hook looks for the shards of a call, whatever else is in the file.
    const digests = Object.keys(offsetsIn(readRegular(file))).filter((name) => DIGEST.test(name));
    return [{ file, kind, sources: digests.map((digest) => path.join(project, "shards", `${digest}.cjs`)) }];
  });
  const caches = [...listProgramCaches(binOf(home)), ...ofPlans];
  const taken = caches.filter((cache) => {
    const found = readRegular(cache.file);
    return cache.sources.some((source) => isTaken(found, source));
  });
  const made = await makeCaches(nodePath, markOf(nodePath), taken);
  return [...made].flatMap(([cache, content]) => {
    // `checkProgram` reports a Node that makes nothing. Of shards V8 also makes nothing if they are altered.
    if (content.length === 0) return DIGEST.test(nameOf(cache.sources[0] ?? "")) ? [cache.file] : [];
    const found = (readRegular(cache.file) ?? Buffer.alloc(0)).subarray(MARK_BYTES);
    const line = content.subarray(MARK_BYTES, content.indexOf("\n", MARK_BYTES));
    // This Node ignores what another Node made.
    if (!found.subarray(0, line.length).equals(line)) return [];
    return isWhole(content, cache) && found.equals(content.subarray(MARK_BYTES)) ? [] : [cache.file];
  });
}

const binOf = (home: string) => path.dirname(layout.hook(home));

/** The files of cached code that the hook programs in the folder can have. */
export function listProgramCaches(folder: string): CodeCache[] {
  return listFolder(folder)
    .filter((name) => /^hook(?:-[a-z-]+)?\.cjs$/u.test(name))
    .flatMap((name) => {
      const program = path.join(folder, name);
      // The program for tool calls never starts without confinement.
      const kinds = CACHE_KINDS.filter((kind) => kind !== "long-running" || name === "hook.cjs");
      return kinds.map((kind) => ({ file: codeCacheOf(program, kind), kind, sources: [program] }));
    });
}

interface ShardCache {
  file: string;
  kind: CacheKind;
  /** The folder of a project that has this plan. */
  project: string | undefined;
}

function listShardCaches(home: string): ShardCache[] {
  const projects = listFolder(layout.projects(home)).map((key) => layout.project(home, key));
  return listFolder(binOf(home)).flatMap((name) => {
    const [, plan = "", suffix] = /^plan-(sha256-[0-9a-f]{64})\.([a-z-]+)$/u.exec(name) ?? [];
    const kind = SHARD_CACHE_KINDS.find((one) => one === suffix);
    if (kind === undefined) return [];
    const file = layout.shardCache(home, plan, kind);
    return [{ file, kind, project: projects.find((folder) => fs.existsSync(path.join(folder, `plan-${plan}.json`))) }];
  });
}

/**
 * Identifies a Node and what drwn makes with it: another Node is another file, or has another time of change; another drwn
 * compiles the same SDK differently.
 */
export function markOf(nodePath: string): string {
  const { ino, size, ctimeMs } = fs.statSync(nodePath);
  const makers = ["make", "sdk"].map((name) => digestOf(fs.readFileSync(packageFile(`dist/code-cache/${name}.cjs`))));
  return digestOf(JSON.stringify([nodePath, ino, size, ctimeMs, ...makers])).slice(-MARK_BYTES);
}

const markIn = (found: Buffer | undefined) => found?.toString("latin1", 0, MARK_BYTES);

/** Whether this Node made it, from these programs or shards, and it is whole. */
export function isCurrent(cache: CodeCache, mark: string): boolean {
  const found = readRegular(cache.file);
  return found !== undefined && markIn(found) === mark && isWhole(found, cache);
}

function isWhole(found: Buffer, { sources }: CodeCache): boolean {
  const offsets = offsetsIn(found);
  if (String(Object.keys(offsets)) !== String(sources.map(nameOf))) return false;
  return sources.every((source) => {
    const text = readRegular(source);
    return text !== undefined && hasCodeOf(found, offsets[nameOf(source)], text) && isUnaltered(source, text);
  });
}

/** Whether the hook takes the code of this source from the file. */
function isTaken(found: Buffer | undefined, source: string): boolean {
  const text = readRegular(source);
  return found !== undefined && text !== undefined && hasCodeOf(found, offsetsIn(found)[nameOf(source)], text);
}

/** Whether the code at this place, as the file gives it, is that of the text. The place is unchecked. */
function hasCodeOf(found: Buffer, place: unknown, text: Buffer): boolean {
  const [start, length] = Object(place ?? []);
  if (typeof start !== "number" || typeof length !== "number" || !(start >= CODE_START)) return false;
  return codeIn(found.subarray(start, start + 2 * length + text.length), length, text) !== undefined;
}

/** A shard has the digest of its text for its name. */
function isUnaltered(source: string, text: Buffer): boolean {
  return !DIGEST.test(nameOf(source)) || digestOf(text) === nameOf(source);
}

const nameOf = (source: string) => path.basename(source, ".cjs");
const DIGEST = /^sha256-[0-9a-f]{64}$/u;

/** What the file says about its places, as the hook reads it; empty: the hook uses nothing from the file. */
function offsetsIn(found: Buffer | undefined): Readonly<Record<string, unknown>> {
  const head = found?.toString("latin1", MARK_BYTES, CODE_START).split("\n") ?? [];
  try {
    return Object(JSON.parse(head[1] ?? ""));
  } catch {
    return {};
  }
}

/** The hook accepts only regular files, too, and this doesn't wait for a pipe. */
function readRegular(file: string): Buffer | undefined {
  try {
    return readIfThere(file);
  } catch {
    return undefined;
  }
}

/** What each file should contain. For the same sources in the same order, a process always makes the same bytes. */
export async function makeCaches(
  nodePath: string,
  mark: string,
  wanted: readonly CodeCache[],
): Promise<Map<CodeCache, Buffer>> {
  const made = new Map<CodeCache, Buffer>();
  const groups = new Map<string, CodeCache[]>();
  for (const cache of wanted) {
    // A package that was built for this Node brings its own.
    const brought = packageFile(`dist/code-cache/${path.basename(cache.file)}`);
    if (isCurrent({ ...cache, file: brought }, mark)) made.set(cache, fs.readFileSync(brought));
    else {
      // A confined process, with the flags of `fixed-seed`, makes the code for confined processes.
      const id = `${cache.kind === "long-running"} ${cache.sources.join()}`;
      groups.set(id, [...(groups.get(id) ?? []), cache]);
    }
  }
  const making = [...groups.values()].map(async (caches) => {
    const contents = await startMaker(nodePath, mark, caches);
    for (const [at, cache] of caches.entries()) made.set(cache, contents[at] ?? Buffer.alloc(0));
  });
  await Promise.all(making);
  return made;
}

/** The contents of the files of the same sources, in their order. */
async function startMaker(nodePath: string, mark: string, caches: readonly CodeCache[]): Promise<Buffer[]> {
  const kinds = caches.map(({ kind }) => kind);
  const flags = [
    "--random-seed=7",
    "--no-warnings",
    ...flagsFor(kinds.includes("long-running") ? "long-running" : "fixed-seed"),
  ];
  const maker = [packageFile("dist/code-cache/make.cjs"), mark, kinds.join(), ...(caches[0]?.sources ?? [])];
  const options = { encoding: "buffer", env: {}, timeout: PATIENCE_MS, maxBuffer: 2 * LARGEST_CODE_CACHE } as const;
  // Empty: this Node can't make it, or a source isn't there or isn't JavaScript.
  // Not at the top: Node loads its sockets with child processes, and most writes start none.
  const run = promisify(execFile);
  const { stdout } = await run(nodePath, [...flags, ...maker], options).catch(() => ({ stdout: Buffer.alloc(0) }));
  let end = 0;
  return caches.map(() => {
    const start = stdout.indexOf("\n", end) + 1;
    end = start + Number(stdout.toString("latin1", end, start));
    return stdout.subarray(start, end);
  });
}

const PATIENCE_MS = 20_000;
