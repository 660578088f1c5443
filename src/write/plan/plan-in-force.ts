import { phaseSchema } from "../../card/hooks/hook-index.ts";
import { compareVersions } from "../../card/version.ts";
import { layout } from "../../contract/layout.ts";
import { type Grant, type Ledger, MODES } from "../../contract/ledger.ts";
import type { Plan, PlannedPolicy } from "../../contract/plan.ts";
import { digestOf } from "../../kernel/digest.ts";
import { listFolder } from "../../kernel/files.ts";
import { parseFormat, readBounded } from "../../kernel/format/read.ts";
import * as z from "../../kernel/format/zod.ts";
import { isProblem } from "../../kernel/problem.ts";
import type { AgentId } from "../../policy/event.ts";
import { type CanonicalEvent, EVENTS } from "../../policy/lifecycle-events.ts";
import { activeGrant, readLedger } from "../../trust/ledger-file.ts";
import { listMarkedKeys } from "../../trust/project-key.ts";
import type { PolicyTrigger } from "../../wiring/target.ts";
import { readWriteRecord } from "../../wiring/write-record.ts";

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

interface Request {
  home: string;
  key: string;
  /** The ledger before the next plan was made. */
  ledger: Ledger | undefined;
  next: Plan;
}

/**
 * Enforcement policies, as `card@version#hook`, that the plan in force has but the next one hasn't, or only as an
 * observer, in fewer phases or in an earlier version. What a person has withdrawn isn't dropped: it is silent already.
 */
export function findDroppedGuards({ home, key, ledger, next }: Request): string[] {
  if (ledger === undefined || ledger.plan === null) return [];
  return (readPlanInForce(home, key, ledger.plan)?.policies ?? [])
    .filter((policy) => isDropped(policy, activeGrant(ledger, policy.card), next))
    .map(({ card, cardVersion, hook }) => `${card}@${cardVersion}#${hook}`);
}

function isDropped({ card, cardVersion, hook }: PolicyInForce, grant: Grant | undefined, next: Plan): boolean {
  if (grant === undefined) return false;
  const approval = grant.approved.findLast((one) => one.cardVersion === cardVersion);
  const facts = approval?.hooks.find(({ name }) => name === hook);
  if (facts?.kind === "observer") return false;
  const kept = next.policies.find((policy) => policy.card === card && policy.hook === hook);
  return (
    kept?.kind !== "enforcement" ||
    compareVersions(kept.cardVersion, cardVersion) < 0 ||
    (facts?.phases ?? []).some((phase) => !kept.phases.includes(phase))
  );
}

/** The parts of a plan that say which events its project needs. */
const matcher = z.string().nullable();
const wantingPlan = z.union([
  z.object({ policies: z.array(z.object({ matcher, phases: z.array(phaseSchema) })) }),
  z.object({ shards: z.array(z.object({ phase: phaseSchema, tool: z.string().nullable(), matcher })) }),
]);

/** For a project whose hook must start in order to block: it holds everything that an agent lets it hold. */
export const EVERY_CALL: PolicyTrigger = { matcher: null, phases: listHeldPhases() };

function listHeldPhases(): PolicyTrigger["phases"] {
  const events = Object.keys(EVENTS) as CanonicalEvent[];
  const held = events.filter((event) => EVENTS[event].hold !== null);
  return held.map((event) => (event === "tool.before" ? "pre-tool" : event));
}

/** What the other projects need that use the user's own settings of this agent. */
export type OtherPolicies = (runtime: AgentId) => PolicyTrigger[];

/**
 * Reads each of the other projects once, for the first agent that is asked about. If a project's ledger or plan is gone
 * or can't be read, it needs every call, and every other lifecycle event that can be held.
 */
export function otherPolicies(home: string, exceptKey: string): OtherPolicies {
  let others: OtherPolicies[] | undefined;
  return (runtime) => {
    others ??= listOthers(home, exceptKey).map((key) => policiesOf(home, key));
    return others.flatMap((policies) => policies(runtime));
  };
}

function listOthers(home: string, exceptKey: string): string[] {
  const ledgers = listFolder(layout.ledgers(home)).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  const keys = new Set([...ledgers.map((name) => name.slice(0, -".json".length)), ...listMarkedKeys(home)]);
  return [...keys].filter((key) => key !== exceptKey);
}

function policiesOf(home: string, key: string): OtherPolicies {
  const written = orEveryCall(() => readWriteRecord(home, key));
  if (Array.isArray(written)) return () => written;
  let policies: PolicyTrigger[] | undefined;
  return (runtime) => {
    // Nobody knows which agents guard a project without a record: perhaps this one.
    if (written !== undefined && (written.wiring !== "user" || !written.runtimes.includes(runtime))) return [];
    policies ??= [...orEveryCall(() => readPoliciesInForce(home, key))];
    return policies;
  };
}

function orEveryCall<T>(read: () => T): T | PolicyTrigger[] {
  try {
    return read();
  } catch (error) {
    if (isProblem(error)) return [EVERY_CALL];
    throw error;
  }
}

/** What the plan in force of one project needs. */
function readPoliciesInForce(home: string, key: string): readonly PolicyTrigger[] {
  const ledger = readLedger(home, key);
  if (ledger === undefined) return [EVERY_CALL];
  return ledger.plan === null ? [] : readPlan(layout.plan(home, key, ledger.plan), ledger.plan);
}

/** What the plan with this digest wants; if anything is wrong with it, every call. */
function readPlan(file: string, digest: string): readonly PolicyTrigger[] {
  const bytes = readBounded(file, LIMITS);
  if (bytes === undefined || digestOf(bytes) !== digest) return [EVERY_CALL];
  const plan = parseFormat(bytes, wantingPlan, { file, ...LIMITS });
  if ("policies" in plan) return plan.policies;
  return plan.shards.map((shard) => ({ matcher: shard.tool ?? shard.matcher, phases: [shard.phase] }));
}
