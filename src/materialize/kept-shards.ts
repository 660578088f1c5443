import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import {
  flagsFor,
  LARGEST_KEPT_SHARDS,
  LONGEST_PLACES,
  MARK_BYTES,
  SHARDS_KEPT_FOR,
  type ShardsKeptFor,
} from "../contract/kept-code.ts";
import { layout } from "../contract/layout.ts";
import { listFolder, writeAtomic } from "../kernel/atomic.ts";
import { digestOf } from "../kernel/digest.ts";
import { packageFile } from "../kernel/package-file.ts";
import { markOf, readRegular } from "./kept-code.ts";

/** A plan in force, and its shards by digest. */
interface Sharded {
  key: string;
  plan: string;
  shards: readonly string[];
}

/**
 * Makes V8 keep the code of the installed shards of a plan, and removes what it kept for plans that are gone. As with
 * the hook programs, no call needs it, and no failure here makes `drwn write` fail.
 */
export async function keepShards(home: string, nodePath: string, { key, plan, shards }: Sharded): Promise<void> {
  try {
    for (const { file, project } of listKeptShards(home)) if (project === undefined) fs.rmSync(file, { force: true });
    const files = [...shards].sort().map((digest) => layout.shard(home, key, digest));
    const mark = markOf(nodePath);
    const kept = SHARDS_KEPT_FOR.map((kind) => layout.keptShards(home, plan, kind));
    if (files.length === 0 || kept.every((file) => isCurrent(file, mark, shards))) return;
    const made = await makeShards(nodePath, mark, files);
    // It contains the policies' text: if others may not read that in the shards, they must not read it here.
    for (const [at, kind] of SHARDS_KEPT_FOR.entries()) writeAtomic(kept[at] ?? "", made[kind], 0o600);
  } catch {
    // A Node that doesn't know all of these flags, or a full disk: the hook also judges calls without kept code.
  }
}

/** Files that the hook accepts as V8's, but that differ from what this Node makes. */
export async function findForgedShards(home: string, nodePath: string): Promise<string[]> {
  const made = new Map<string, Record<ShardsKeptFor, Buffer> | null>();
  const forged: string[] = [];
  for (const { file, kind, project } of listKeptShards(home)) {
    const kept = readRegular(file);
    if (kept === undefined || project === undefined) continue;
    // The hook looks for the shards of a call, whatever else is in the file and whatever it says about their places.
    const digests = Object.keys(placesIn(kept)).filter((name) => DIGEST.test(name));
    if (digests.length === 0) continue;
    const files = digests.map((digest) => path.join(project, "shards", `${digest}.cjs`));
    const id = files.join();
    if (!made.has(id)) made.set(id, await makeShards(nodePath, markOf(nodePath), files).catch(() => null));
    const whole = made.get(id)?.[kind].subarray(MARK_BYTES) ?? Buffer.alloc(0);
    // This Node ignores what another Node made.
    const line = whole.subarray(0, whole.indexOf("\n") + 1);
    const found = kept.subarray(MARK_BYTES);
    if (found.subarray(0, line.length).equals(line) && !found.equals(whole)) forged.push(file);
  }
  return forged;
}

interface KeptShards {
  file: string;
  kind: ShardsKeptFor;
  /** The folder of a project that has this plan. */
  project: string | undefined;
}

function listKeptShards(home: string): KeptShards[] {
  const projects = listFolder(layout.projects(home)).map((key) => layout.project(home, key));
  return listFolder(path.dirname(layout.hook(home))).flatMap((name) => {
    const [, plan = "", suffix] = /^plan-(sha256-[0-9a-f]{64})\.([a-z]+)$/u.exec(name) ?? [];
    const kind = SHARDS_KEPT_FOR.find((one) => one === suffix);
    if (kind === undefined) return [];
    const file = layout.keptShards(home, plan, kind);
    return [{ file, kind, project: projects.find((folder) => fs.existsSync(path.join(folder, `plan-${plan}.json`))) }];
  });
}

/** Whether this Node made it from these shards, and it is whole. */
function isCurrent(file: string, mark: string, shards: readonly string[]): boolean {
  const kept = readRegular(file);
  if (kept === undefined || kept.toString("latin1", 0, MARK_BYTES) !== mark) return false;
  const named = placesIn(kept);
  const places = isPlaces(named) ? Object.entries(named) : [];
  if (String(places.map(([digest]) => digest)) !== String([...shards].sort())) return false;
  return places.every(([digest, [start, length]], at) => {
    const second = start + length;
    const text = kept.subarray(second + length, places[at + 1]?.[1][0] ?? kept.length);
    return kept.subarray(start, second).equals(kept.subarray(second, second + length)) && digestOf(text) === digest;
  });
}

/** What the file says about its shards, as the hook reads it; empty: the hook uses nothing from the file. */
function placesIn(kept: Buffer): object {
  const start = kept.indexOf("\n", MARK_BYTES) + 1;
  const end = kept.indexOf("\n", start);
  if (start === 0 || end < 0 || end - start > LONGEST_PLACES) return {};
  try {
    const places: unknown = JSON.parse(kept.toString("latin1", start, end));
    return typeof places === "object" && places !== null ? places : {};
  } catch {
    return {};
  }
}

const DIGEST = /^sha256-[0-9a-f]{64}$/u;

function isPlaces(places: object): places is Record<string, readonly [number, number]> {
  return Object.entries(places).every(
    ([digest, place]) => DIGEST.test(digest) && Array.isArray(place) && place.every(Number.isSafeInteger),
  );
}

/**
 * The content that the files should have: for the same shards in the same order, a process always makes the same bytes.
 */
async function makeShards(
  nodePath: string,
  mark: string,
  files: readonly string[],
): Promise<Record<ShardsKeptFor, Buffer>> {
  const flags = ["--random-seed=7", "--no-warnings", ...flagsFor("foretold")];
  const { stdout } = await run(nodePath, [...flags, packageFile("dist/kept/keep-shards.cjs"), mark, ...files], {
    encoding: "buffer",
    env: {},
    timeout: PATIENCE_MS,
    maxBuffer: 2 * LARGEST_KEPT_SHARDS,
  });
  const made: Buffer[] = [];
  for (let end = 0; end < stdout.length; ) {
    const start = stdout.indexOf("\n", end) + 1;
    end = start + Number(stdout.toString("latin1", end, start));
    made.push(stdout.subarray(start, end));
  }
  const [foretold, brief] = made;
  if (foretold === undefined || brief === undefined) throw new Error("nothing was kept");
  return { foretold, brief };
}

const PATIENCE_MS = 20_000;
const run = promisify(execFile);
