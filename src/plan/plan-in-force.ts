import { layout } from "../contract/layout.ts";
import { MODES } from "../contract/ledger.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import { parseFormat, readBounded } from "../format/read.ts";
import * as z from "../format/zod.ts";
import { digestOf } from "../kernel/digest.ts";

/** What a plan says about its policies and the files of their code. A large plan names cards and shards instead. */
const card = z.object({ card: z.string(), cardVersion: z.string(), mode: z.enum(MODES) });
const planSchema = z.object({
  policies: z.array(card.extend({ hook: z.string(), bundle: z.string() })).optional(),
  cards: z.array(card.extend({ hooks: z.array(z.string()) })).optional(),
  shards: z.array(z.object({ digest: z.string() })).optional(),
});

/** The hook process reads no more. */
const LIMITS = { maximumBytes: 16 * 1024 * 1024 };

export interface PolicyInForce extends Pick<PlannedPolicy, "card" | "cardVersion" | "hook" | "mode"> {
  /** Absent: the plan is large, and doesn't say. */
  bundle?: string;
}

interface PlanInForce {
  /** It is unchanged since `write` made it. */
  isSound: boolean;
  policies: PolicyInForce[];
  /** The digest of each file of code that it names, by its path. */
  code: ReadonlyMap<string, string>;
}

/** The plan with this digest, from the disk; undefined: it is gone. */
export function readPlanInForce(home: string, key: string, digest: string): PlanInForce | undefined {
  const file = layout.plan(home, key, digest);
  const bytes = readBounded(file, LIMITS);
  if (bytes === undefined) return undefined;
  const { policies = [], cards = [], shards = [] } = parseFormat(bytes, planSchema, { file, ...LIMITS });
  const divided = cards.flatMap(({ hooks, ...of }) => hooks.map((hook) => ({ ...of, hook })));
  const code = [
    ...policies.map(({ bundle }) => [layout.bundle(home, key, bundle), bundle] as const),
    ...shards.map((shard) => [layout.shard(home, key, shard.digest), shard.digest] as const),
  ];
  return { isSound: digestOf(bytes) === digest, policies: [...policies, ...divided], code: new Map(code) };
}
