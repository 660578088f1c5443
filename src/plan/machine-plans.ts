import { phaseSchema } from "../card/hooks/hook-facts.ts";
import { layout } from "../contract/layout.ts";
import { parseFormat, readBounded } from "../format/read.ts";
import * as z from "../format/zod.ts";
import { listFolder } from "../kernel/atomic.ts";
import { digestOf } from "../kernel/digest.ts";
import { isProblem } from "../kernel/problem.ts";
import type { AgentId } from "../policy/event.ts";
import { type CanonicalEvent, EVENTS } from "../policy/taxonomy.ts";
import { readLedger } from "../trust/ledger-file.ts";
import { listMarkedKeys } from "../trust/project-key.ts";
import type { PolicyTrigger } from "../wiring/policy-triggers.ts";
import { readWriteRecord } from "../wiring/write-record.ts";

/** The parts of a plan that say which events its project needs. */
const matcher = z.string().nullable();
const wantingPlan = z.union([
  z.object({ policies: z.array(z.object({ matcher, phases: z.array(phaseSchema) })) }),
  z.object({ shards: z.array(z.object({ phase: phaseSchema, tool: z.string().nullable(), matcher })) }),
]);

/** The hook process reads no more. */
const LIMITS = { maximumBytes: 16 * 1024 * 1024 };

/** For a project whose hook must start in order to block: it holds everything that an agent lets it hold. */
export const EVERY_CALL: PolicyTrigger = { matcher: null, phases: listHeldPhases() };

function listHeldPhases(): PolicyTrigger["phases"] {
  const events = Object.keys(EVENTS) as CanonicalEvent[];
  const held = events.filter((event) => EVENTS[event].hold !== null);
  return held.map((event) => (event === "tool.before" ? "pre-tool" : event));
}

/**
 * What the other projects need that use the user's own settings of an agent. If a project's ledger or plan is gone or
 * can't be read, it needs every call, and every other moment that can be held.
 */
export function readOtherPolicies(
  home: string,
  { exceptKey, runtime }: { exceptKey: string; runtime: AgentId },
): PolicyTrigger[] {
  const ledgers = listFolder(layout.ledgers(home)).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  const keys = new Set([...ledgers.map((name) => name.slice(0, -".json".length)), ...listMarkedKeys(home)]);
  return [...keys].filter((key) => key !== exceptKey).flatMap((key) => policiesOf(home, key, runtime));
}

function policiesOf(home: string, key: string, runtime: AgentId): readonly PolicyTrigger[] {
  try {
    const written = readWriteRecord(home, key);
    // Nobody knows which agents guard a project without a record: perhaps this one.
    if (written !== undefined && (written.wiring !== "user" || !written.runtimes.includes(runtime))) return [];
    return readPoliciesInForce(home, key);
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
