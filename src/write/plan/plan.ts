import { compileFunction } from "node:vm";
import { compileMatcher, literalTools } from "../../card/matcher.ts";
import { type Approval, type Grant, modeOf } from "../../contract/ledger.ts";
import {
  PLAN_VERSION,
  type Plan,
  type PlannedCard,
  type PlannedPolicy,
  POLICIES_IN_ONE_PLAN,
  type ShardEntry,
  type ShardedPlan,
  type ShardedPolicy,
  type ShardHead,
  splitSdk,
} from "../../contract/plan.ts";
import { digestOf } from "../../kernel/digest.ts";
import { formatJson } from "../../kernel/format/json.ts";
import { approvedHooks } from "../../trust/activation.ts";
import { approvalInForce, type CardActivation } from "./activations.ts";

/** The plan of these activations. It has a joining version only when the ledger has recorded that version. */
export function buildPlan(project: string, activations: readonly CardActivation[]): Plan {
  const compiled = new Map<string, string>();
  return {
    version: PLAN_VERSION,
    project,
    policies: activations.flatMap(({ grant, activation }) => {
      const approval = approvalInForce({ grant, activation });
      return approval === undefined || grant === null ? [] : plannedPolicies({ grant, approval, compiled });
    }),
  };
}

interface PolicyRequest {
  grant: Grant;
  approval: Approval;
  /** The matchers compiled so far: many policies share one. */
  compiled: Map<string, string>;
}

function plannedPolicies({ grant, approval, compiled }: PolicyRequest): PlannedPolicy[] {
  return approvedHooks(approval).map(({ facts, bundle }) => ({
    card: grant.card,
    cardVersion: approval.cardVersion,
    hook: facts.name,
    kind: facts.kind,
    mode: modeOf(grant, approval),
    askFallback: grant.askFallback,
    publisher: approval.publisher,
    match: facts.matcher === null ? null : compileOnce(facts.matcher, compiled),
    matcher: facts.matcher,
    phases: facts.phases,
    timeoutMs: facts.timeoutMs,
    capabilities: facts.capabilities,
    bundle,
  }));
}

function compileOnce(matcher: string, compiled: Map<string, string>): string {
  const source = compiled.get(matcher) ?? compileMatcher(matcher);
  compiled.set(matcher, source);
  return source;
}

/** The text of a plan on the disk, and the files that it names, by digest. */
interface PrintedPlan {
  text: string;
  shards: Map<string, string>;
}

/** The text of a compiled policy, after computing its digest again. */
type CodeOf = (bundle: string) => string;

/**
 * `inForce`: the digest that the ledger names. If the plan comes out with that digest, it consists of the same code,
 * and each part of it was checked when it was first made.
 */
export function printPlan(plan: Plan, codeOf: CodeOf, inForce: string | null): PrintedPlan {
  if (plan.policies.length <= POLICIES_IN_ONE_PLAN && !sharesSdk(plan, codeOf))
    return { text: formatJson(plan), shards: new Map() };
  if (inForce !== null) {
    const same = printShards(plan, (bundle) => partsOf(codeOf(bundle)));
    if (digestOf(same.text) === inForce) return same;
  }
  return printShards(plan, (bundle) => {
    const parts = partsOf(codeOf(bundle));
    return isWhole(parts.own) ? parts : null;
  });
}

/** Whether several policies bring the same SDK, so that a call would read it several times. */
function sharesSdk({ policies }: Plan, codeOf: CodeOf): boolean {
  const bundles = new Set(policies.filter(({ capabilities }) => capabilities.length === 0).map(({ bundle }) => bundle));
  const brought = [...bundles].flatMap((bundle) => partsOf(codeOf(bundle)).shared ?? []);
  return new Set(brought).size < brought.length;
}

/** A policy's own code, and the text of the SDK that it brings. */
interface Parts {
  own: string;
  shared: string | null;
}

/** Null: the hook process reads the policy's own file. */
type PartsOf = (bundle: string) => Parts | null;

function partsOf(code: string): Parts {
  return splitSdk(code) ?? { own: code, shared: null };
}

function printShards(plan: Plan, bodyOf: PartsOf): PrintedPlan {
  const { plan: sharded, shards } = shardPlan(plan, bodyOf);
  return { text: formatJson(sharded), shards };
}

type Group = Omit<ShardEntry, "digest">;

/** Groups the policies by what they want, and puts each group into one file. */
function shardPlan(
  { version, project, policies }: Plan,
  bodyOf: PartsOf,
): { plan: ShardedPlan; shards: Map<string, string> } {
  const groups = new Map<string, { entry: Group; places: number[] }>();
  for (const [place, policy] of policies.entries()) {
    for (const entry of entriesOf(policy)) {
      const id = JSON.stringify([entry.phase, entry.tool, entry.match]);
      const group = groups.get(id) ?? { entry, places: [] };
      group.places.push(place);
      groups.set(id, group);
    }
  }
  const shards = new Map<string, string>();
  const keep = (text: string): string => {
    const digest = digestOf(text);
    shards.set(digest, text);
    return digest;
  };
  const entries = [...groups.values()].map(({ entry, places }) => {
    const text = printShard(places, policies, { bodyOf, keep });
    return { ...entry, digest: keep(text) };
  });
  return { plan: { version, project, cards: cardsOf(policies), shards: entries }, shards };
}

/** One entry for each phase and literal tool, or for each phase and pattern. */
function entriesOf({ phases, match, matcher }: PlannedPolicy): Group[] {
  const tools = matcher === null ? null : literalTools(matcher);
  return phases.flatMap((phase): Group[] =>
    tools === null
      ? [{ phase, tool: null, match, matcher }]
      : tools.map((tool) => ({ phase, tool, match: null, matcher: null })),
  );
}

interface Printing {
  bodyOf: PartsOf;
  /** Keeps a file beside the plan, and answers with its digest. */
  keep: (text: string) => string;
}

function printShard(places: readonly number[], policies: readonly PlannedPolicy[], { bodyOf, keep }: Printing): string {
  const chosen = places.flatMap((order) => {
    const policy = policies[order];
    if (policy === undefined) return [];
    const parts = policy.capabilities.length > 0 ? null : bodyOf(policy.bundle);
    const shared = parts?.shared ?? null;
    return [{ policy: { ...policy, order, sdk: shared === null ? null : keep(shared) }, parts }];
  });
  const head: ShardHead = { policies: chosen.map(({ policy }, at) => differenceFrom(chosen[at - 1]?.policy, policy)) };
  const bodies = chosen.map(({ parts }) => (parts === null ? "null" : embed(parts.own)));
  return `//${JSON.stringify(head)}\n[\n${bodies.join(",\n")}\n]\n`;
}

/**
 * Only the fields that differ: an event would otherwise read, digest and check the others for each policy of a card.
 */
function differenceFrom(before: ShardedPolicy | undefined, policy: ShardedPolicy): Partial<ShardedPolicy> {
  if (before === undefined) return policy;
  const known = new Map<string, unknown>(Object.entries(before));
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(known.get(name));
  return Object.fromEntries(Object.entries(policy).filter(differs));
}

/** The parentheses make V8 compile the function at once: it will be called. */
function embed(code: string): string {
  return `(function(exports,require,module){${code}\n})`;
}

/**
 * Whether the code alone is a complete function body. If it isn't, it could reach into its neighbours and is left out:
 * the hook process then reads the policy's own file.
 */
function isWhole(code: string): boolean {
  try {
    compileFunction(code, ["exports", "require", "module"]);
    return true;
  } catch {
    return false;
  }
}

function cardsOf(policies: readonly PlannedPolicy[]): PlannedCard[] {
  const cards = new Map<string, PlannedCard>();
  for (const { card, cardVersion, publisher, mode, hook } of policies) {
    const planned = cards.get(card) ?? { card, cardVersion, publisher, mode, hooks: [] };
    planned.hooks.push(hook);
    cards.set(card, planned);
  }
  return [...cards.values()];
}
