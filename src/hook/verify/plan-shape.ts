import { DEADLINES } from "../../contract/deadlines.ts";
import { ASK_FALLBACKS, MODES, type PolicyPhase } from "../../contract/ledger.ts";
import {
  CAPABILITIES,
  type PlannedCard,
  type PlannedPolicy,
  type ShardEntry,
  type ShardedPolicy,
} from "../../contract/plan.ts";
import {
  type Checks,
  fieldOf,
  hasShape,
  isDigest,
  isListOf,
  isListOfTexts,
  isRecord,
  isText,
  isTextOrNull,
} from "../../hook-base/shape.ts";

const POLICY: Checks<PlannedPolicy> = {
  card: isText,
  cardVersion: isText,
  hook: isText,
  kind: (value) => value === "enforcement" || value === "observer",
  mode: isMode,
  askFallback: isAskFallback,
  publisher: isTextOrNull,
  match: isTextOrNull,
  matcher: isTextOrNull,
  phases: (value) => isListOf(value, isPhase),
  timeoutMs: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= DEADLINES.maximum,
  capabilities: (value) => isListOf(value, isCapability),
  bundle: isDigest,
};

const SHARDED: Checks<ShardedPolicy> = {
  ...POLICY,
  order: (value) => Number.isInteger(value) && Number(value) >= 0,
  sdk: (value) => value === null || isDigest(value),
};

const CARD: Checks<PlannedCard> = {
  card: isText,
  cardVersion: isText,
  publisher: isTextOrNull,
  mode: isMode,
  hooks: isListOfTexts,
};

const SHARD: Checks<ShardEntry> = {
  phase: isPhase,
  tool: isTextOrNull,
  match: isTextOrNull,
  matcher: isTextOrNull,
  digest: isDigest,
};

/** Every field of a plan's policies, and of the parts of a large plan. */
export const PLAN_FIELDS = {
  policies: Object.keys(POLICY),
  cards: Object.keys(CARD),
  shards: Object.keys(SHARD),
} as const;

export function isPlannedPolicy(value: unknown): value is PlannedPolicy {
  return isRecord(value) && hasShape(value, POLICY);
}

export function isShardedPolicy(value: unknown): value is ShardedPolicy {
  return isRecord(value) && hasShape(value, SHARDED);
}

/** Some fields of a policy; the one before it has the missing ones. */
export function isPartOfPolicy(value: unknown): value is Partial<ShardedPolicy> {
  if (!isRecord(value)) return false;
  for (const [name, said] of Object.entries(value)) {
    const isFitting = fieldOf(SHARDED, name);
    if (typeof isFitting === "function" && !isFitting(said)) return false;
  }
  return true;
}

export function isPlannedCard(value: unknown): value is PlannedCard {
  return isRecord(value) && hasShape(value, CARD);
}

export function isShardEntry(value: unknown): value is ShardEntry {
  return isRecord(value) && hasShape(value, SHARD);
}

export function isMode(value: unknown): boolean {
  return MODES.some((mode) => mode === value);
}

export function isAskFallback(value: unknown): boolean {
  return ASK_FALLBACKS.some((fallback) => fallback === value);
}

/** The form of `pre-tool`, `prompt.submit`, `notify` and `other.CwdChanged`. */
const PHASE = /^(?:pre-tool|post-tool|notify|[a-z]+\.[A-Za-z]\w*)$/u;

/** Checks only the form. `drwn write` knows which events exist, so no tool call waits for their list. */
function isPhase(value: unknown): value is PolicyPhase {
  return value === "pre-tool" || (isText(value) && PHASE.test(value));
}

function isCapability(value: unknown): value is PlannedPolicy["capabilities"][number] {
  return CAPABILITIES.some((capability) => capability === value);
}
