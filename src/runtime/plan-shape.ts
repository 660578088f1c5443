import { MODES, type PolicyPhase } from "../contract/ledger.ts";
import { CAPABILITIES, DEADLINES, type PlannedCard, type PlannedPolicy, type ShardEntry } from "../contract/plan.ts";
import { type Fields, fieldOf, isDigest, isListOf, isRecord, isText } from "./shape.ts";

type Checks<T> = Readonly<Record<keyof T, (value: unknown) => boolean>>;

const POLICY: Checks<PlannedPolicy> = {
  card: isText,
  cardVersion: isText,
  hook: isText,
  kind: (value) => value === "enforcement" || value === "observer",
  mode: (value) => MODES.some((mode) => mode === value),
  askFallback: (value) => value === "allow" || value === "deny",
  publisher: (value) => value === null || isText(value),
  match: (value) => value === null || isText(value),
  matcher: (value) => value === null || isText(value),
  phases: (value) => isListOf(value, isPhase),
  timeoutMs: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= DEADLINES.maximum,
  capabilities: (value) => isListOf(value, isCapability),
  bundle: isDigest,
};

const CARD: Checks<PlannedCard> = {
  card: isText,
  cardVersion: isText,
  publisher: POLICY.publisher,
  mode: POLICY.mode,
  hooks: (value) => isListOf(value, isText),
};

const SHARD: Checks<ShardEntry> = {
  phase: isPhase,
  tool: POLICY.match,
  match: POLICY.match,
  matcher: POLICY.match,
  digest: isDigest,
};

/** Every field of a plan's policies, and of what a large plan is made of. */
export const PLAN_FIELDS = {
  policies: Object.keys(POLICY),
  cards: Object.keys(CARD),
  shards: Object.keys(SHARD),
} as const;

export function isPlannedPolicy(value: unknown): value is PlannedPolicy {
  return isRecord(value) && hasShape(value, POLICY);
}

/** Some fields of a policy, where another one has those that are missing. */
export function isPartOfPolicy(value: unknown): value is Partial<PlannedPolicy> {
  if (!isRecord(value)) return false;
  for (const [name, said] of Object.entries(value)) {
    const isFitting = fieldOf(POLICY, name);
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

function hasShape<T>(fields: Fields, checks: Checks<T>): boolean {
  for (const name in checks) if (!checks[name](fieldOf(fields, name))) return false;
  return true;
}

/** The form of `pre-tool`, `prompt.submit`, `notify` and `other.CwdChanged`. */
const PHASE = /^(?:pre-tool|post-tool|notify|[a-z]+\.[A-Za-z]\w*)$/u;

/** Which events there are `drwn write` knows: no tool call waits for their list. */
function isPhase(value: unknown): value is PolicyPhase {
  return value === "pre-tool" || (isText(value) && PHASE.test(value));
}

function isCapability(value: unknown): value is PlannedPolicy["capabilities"][number] {
  return CAPABILITIES.some((capability) => capability === value);
}
