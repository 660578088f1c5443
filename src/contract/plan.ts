import type { Mode, PolicyPhase, Terms } from "./ledger.ts";

/**
 * The plan: what `drwn write` decided for one project, and the hook process obeys. It is in
 * `projects/<key>/plan-<digest>.json`; the ledger names the digest of the one that counts.
 */
export const PLAN_VERSION = 2;

export interface Plan {
  version: typeof PLAN_VERSION;
  /** The project's folder, for messages only. */
  project: string;
  /** In the order in which they run. */
  policies: PlannedPolicy[];
}

/** A plan with more policies is divided into shards, so that an event reads only those for its tool. */
export const POLICIES_IN_ONE_PLAN = 20;

/**
 * A large plan on disk: which shards there are, and enough about the policies to know that none is missing and which
 * events they want.
 */
export interface ShardedPlan {
  version: typeof PLAN_VERSION;
  project: string;
  cards: PlannedCard[];
  shards: ShardEntry[];
}

/** All planned hooks of one approved version. */
export interface PlannedCard {
  card: string;
  cardVersion: string;
  publisher: string | null;
  mode: Mode;
  hooks: string[];
}

/** Policies that want the same tools at the same phase, and the file that holds them. */
export interface ShardEntry {
  phase: PolicyPhase;
  /** The exact name of a tool; null: the tools that `match` takes. */
  tool: string | null;
  /** As in a policy; used if `tool` is null. */
  match: string | null;
  matcher: string | null;
  /** sha256 of the file `projects/<key>/shards/<digest>.cjs`. */
  digest: string;
}

/**
 * The first line of a shard, after `//`. The rest is one JavaScript array. For each policy it holds a function of
 * `exports`, `require` and `module` with the compiled policy as its body, or null for a policy that runs in a process
 * of its own.
 */
export interface ShardHead {
  /** Each leaves out what it shares with the one before it. */
  policies: Partial<ShardedPolicy>[];
}

export interface ShardedPolicy extends PlannedPolicy {
  /** Its index among all policies of the plan. */
  order: number;
  /** Digest of the SDK that it shares with others, in a file beside the shard; null: it contains what it needs. */
  sdk: string | null;
}

export interface PlannedPolicy {
  /** `@scope/name` */
  card: string;
  /** The card's version that was approved and runs; not always the locked one. */
  cardVersion: string;
  hook: string;
  kind: "enforcement" | "observer";
  mode: Mode;
  /** What this policy's `ask` becomes in an agent that cannot ask. */
  askFallback: Terms["askFallback"];
  /** Key of the publisher who signed this version; `DRWN_ITSELF`: it came with drwn; null: nobody did. */
  publisher: string | null;
  /** Source of an anchored regular expression for the tool name or subject, made from the policy's glob; null: any. */
  match: string | null;
  /** What the author wrote, for messages; null: nothing. */
  matcher: string | null;
  phases: PolicyPhase[];
  timeoutMs: number;
  /** Those that the user consented to, sorted; most policies have none. */
  capabilities: Capability[];
  /** sha256 of the compiled policy; its file is `projects/<key>/bundles/<bundle>.cjs`. */
  bundle: string;
}

export const CAPABILITIES = ["env", "exec", "fs-read", "fs-write", "net", "wasm"] as const;
export type Capability = (typeof CAPABILITIES)[number];

/**
 * The `node:` modules that a policy may import without declaring anything: they reach neither files, nor the network,
 * nor processes.
 */
export const FREE_MODULES = [
  "node:assert",
  "node:assert/strict",
  "node:buffer",
  "node:crypto",
  "node:events",
  "node:path",
  "node:path/posix",
  "node:path/win32",
  "node:punycode",
  "node:querystring",
  "node:string_decoder",
  "node:url",
  "node:util",
] as const;

/** The `node:` modules that each capability opens. Any other module is refused. */
export const CAPABILITY_MODULES: Readonly<Record<Capability, readonly string[]>> = {
  env: ["node:os"],
  exec: ["node:child_process"],
  "fs-read": ["node:fs", "node:fs/promises"],
  "fs-write": ["node:fs", "node:fs/promises"],
  net: ["node:dgram", "node:dns", "node:dns/promises", "node:http", "node:http2", "node:https", "node:net", "node:tls"],
  // It opens a global name, `WebAssembly`, and no module.
  wasm: [],
};

/** The tool name with which doctor asks the hook whether it is alive. No agent has such a tool. */
export const CANARY_TOOL = "drwn:canary";

/**
 * The text of a compiled policy that uses much of the SDK begins with the whole SDK, which is the same in every such
 * policy. So each policy is complete, and a plan needs the SDK only once.
 */
export const SDK_MODULE = "drwn:sdk";

const BEGIN = `"use strict";var require=((require,load)=>{let sdk;return(name)=>name==="${SDK_MODULE}"?sdk??=load(require):require(name)})(require,`;
/** The SDK's text doesn't contain it, so its first occurrence is the end. */
const END = `/*${SDK_MODULE}*/);`;

/**
 * The text before a policy's own code. `shared` is an expression for a function that takes a `require` and returns the
 * SDK.
 */
export function sdkBannerOf(shared: string): string {
  return `${BEGIN}${shared}${END}`;
}

/**
 * The SDK that a compiled policy brings, and its own code; null: its own code contains the parts of the SDK that it
 * needs.
 */
export function splitSdk(code: string): { shared: string; own: string } | null {
  if (!code.startsWith(BEGIN)) return null;
  const end = code.indexOf(END);
  if (end < 0) return null;
  return { shared: code.slice(BEGIN.length, end), own: `"use strict";${code.slice(end + END.length)}` };
}
