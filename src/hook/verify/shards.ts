import type { Script } from "node:vm";
import { FIXED_HASH_SEED_FLAG } from "../../contract/code-cache.ts";
import { hookLayout } from "../../contract/hook-layout.ts";
import type { Exception, PolicyPhase } from "../../contract/ledger.ts";
import type { PlannedPolicy, ShardEntry, ShardedPlan, ShardedPolicy } from "../../contract/plan.ts";
import { digestOfFile } from "../../hook-base/digest.ts";
import { decodeBytes, nodeProcess } from "../../hook-base/primordials.ts";
import { readBytes, type StateLocation } from "../../hook-base/read-file.ts";
import { type Fields, fieldOf, isListOf, isRecord } from "../../hook-base/shape.ts";
import { type CodeCache, closeCodeCache, compile, openCodeCache, takeCached } from "../code-cache/read.ts";
import { isConfined } from "../run/confine.ts";
import type { SharedSdk } from "../run/modules.ts";
import type { PolicyBody } from "../run/policy-code.ts";
import { isPartOfPolicy, isPlannedCard, isShardEntry, isShardedPolicy } from "./plan-shape.ts";
import { parseRecord, refusalIn } from "./read-ledger.ts";

/** A policy of a plan, with its code if that came with a shard. */
export interface LoadedPolicy extends PlannedPolicy {
  body?: PolicyBody | null;
  /** The SDK that the body shares with others. */
  shared?: SharedSdk | undefined;
  /** The key of the scope it was consented to for; absent: the project of the call. */
  scope?: string;
  /** The folder of that scope; absent: that of the call. */
  root?: string;
  /** The agents in which its consent lets it run; null or absent: all. */
  runtimes?: readonly string[] | null;
  /** Its options, as JSON text; null or absent: it has none. */
  options?: string | null;
  /** The exceptions by which a person lets calls past it; absent: none. */
  exceptions?: readonly Exception[];
}

/** The properties of an event that decide which policies could want it. */
export interface ShardFilter {
  names: readonly string[];
  phase: PolicyPhase;
}

export function isShardedPlan(plan: Fields): plan is Fields & Pick<ShardedPlan, "cards" | "shards"> {
  return isListOf(fieldOf(plan, "cards"), isPlannedCard) && isListOf(fieldOf(plan, "shards"), isShardEntry);
}

/**
 * The policies of the shards that the event could concern, in their order, or of all shards if no event is given; or
 * what is wrong.
 */
export function readShards(
  place: StateLocation,
  { plan, shards }: Pick<ShardedPlan, "shards"> & { plan: string },
  wanted: ShardFilter | undefined,
): LoadedPolicy[] | string {
  const digests = new Set<string>();
  for (const entry of shards) if (wanted === undefined || concerns(entry, wanted)) digests.add(entry.digest);
  const loaded: LoadedPolicy[] = [];
  // If policies run in other processes, this one has no use for the code.
  const cache = isConfined() && digests.size > 0 ? openShards(place.home, plan) : null;
  try {
    const loading = { cache, loaded, sdks: new Map<string, SharedSdk>() };
    for (const digest of digests) {
      const fault = readShard(place, digest, loading);
      if (fault !== undefined) return fault;
    }
  } finally {
    closeCodeCache(cache);
  }
  return Object.values(loaded);
}

/** V8's cached code of the plan's shards. */
function openShards(home: string, plan: string): CodeCache | null {
  const kind = nodeProcess.execArgv.includes(FIXED_HASH_SEED_FLAG) ? "fixed-seed" : "single-call";
  return openCodeCache(hookLayout.shardCache(home, plan, kind), refusalIn(home));
}

/** A broken expression concerns every event; then the policies' own expressions decide. */
function concerns({ phase, tool, match }: ShardEntry, wanted: ShardFilter): boolean {
  if (phase !== wanted.phase) return false;
  if (tool !== null) return wanted.names.includes(tool);
  if (match === null) return true;
  try {
    const expression = new RegExp(match, "u");
    return wanted.names.some((name) => expression.test(name));
  } catch {
    return true;
  }
}

/** What has been read from the shards of an event. */
interface Loading {
  cache: CodeCache | null;
  /** By their order: the shard of every tool that a policy names holds the same policy. */
  loaded: LoadedPolicy[];
  /** By digest: each SDK is read once, however many policies share it. */
  sdks: Map<string, SharedSdk>;
}

/** Puts the policies of the shard at their places. */
function readShard(place: StateLocation, digest: string, loading: Loading): string | undefined {
  const read = readDigested(place, digest, loading.cache);
  if ("fault" in read) return read.fault;
  const policies = readHead(read.text.slice(2, read.text.indexOf("\n")));
  if (policies === undefined) return "malformed";
  const bodies = run(read);
  for (let i = 0; i < policies.length; i++) {
    const policy = policies[i] as Ordered;
    const body = Array.isArray(bodies) ? (bodies as unknown[])[i] : undefined;
    if (policy.sdk !== null) {
      const fault = readSdk(place, policy.sdk, loading);
      if (fault !== undefined) return fault;
      policy.shared = loading.sdks.get(policy.sdk);
    }
    policy.body = typeof body === "function" ? (body as PolicyBody) : null;
    loading.loaded[policy.order] = policy;
  }
  return undefined;
}

function readSdk(place: StateLocation, digest: string, { cache, sdks }: Loading): string | undefined {
  if (sdks.has(digest)) return undefined;
  const read = readDigested(place, digest, cache);
  if ("fault" in read) return read.fault;
  const load = run(read);
  if (typeof load !== "function") return "malformed";
  sdks.set(digest, { load: load as SharedSdk["load"], exported: null });
  return undefined;
}

interface ReadShard {
  text: string;
  /** With its cached code; undefined: there is none. */
  script: Script | undefined;
}

/**
 * `drwn write` has digested the text beside V8's cached code. Comparing two texts takes a hundredth of the time of
 * digesting one.
 */
function readDigested(
  { home, key }: StateLocation,
  digest: string,
  cache: CodeCache | null,
): ReadShard | { fault: string } {
  const bytes = readBytes(hookLayout.shard(home, key, digest), refusalIn(home));
  if (typeof bytes === "string") return { fault: bytes };
  const text = decodeBytes(bytes);
  const script = takeCached(cache, digest, { bytes, text });
  if (script !== undefined) return { text, script };
  return digestOfFile(bytes) === digest ? { text, script } : { fault: "altered" };
}

type Ordered = LoadedPolicy & ShardedPolicy;

/** The policies of a shard: each entry leaves out what it shares with the one before it. */
function readHead(text: string): Ordered[] | undefined {
  const head = parseRecord(text);
  const entries = isRecord(head) ? fieldOf(head, "policies") : undefined;
  if (!Array.isArray(entries)) return undefined;
  const policies: Ordered[] = [];
  let before: Ordered | null = null;
  for (const entry of entries) {
    if (before === null ? !isShardedPolicy(entry) : !isPartOfPolicy(entry)) return undefined;
    const policy: Ordered = { ...before, ...entry };
    policies.push(policy);
    before = policy;
  }
  return policies;
}

/**
 * Runs no policy. If this Node cannot compile the text, each policy's own file is used instead, and only one of them is
 * at fault.
 */
function run({ text, script }: ReadShard): unknown {
  try {
    return (script ?? compile("", text)).runInThisContext();
  } catch {
    return undefined;
  }
}
