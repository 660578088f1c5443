import { compileFunction } from "node:vm";
import { literalTools } from "../card/matcher.ts";
import {
  type Plan,
  type PlannedCard,
  type PlannedPolicy,
  POLICIES_IN_ONE_PLAN,
  type ShardEntry,
  type ShardedPlan,
  type ShardedPolicy,
  type ShardHead,
} from "../contract/plan.ts";
import { formatJson } from "../format/write.ts";
import { digestOf } from "../kernel/digest.ts";

/** The text of a plan as it lies on the disk, and the files that it names, by digest. */
interface PrintedPlan {
  text: string;
  shards: Map<string, string>;
}

/** Text of a compiled policy whose digest was computed again. */
type CodeOf = (bundle: string) => string;

/**
 * `inForce` is the digest that the ledger names. A plan that comes out as that one was made of the same code, and each part of
 * it was looked at then.
 */
export function printPlan(plan: Plan, codeOf: CodeOf, inForce: string | null): PrintedPlan {
  if (plan.policies.length <= POLICIES_IN_ONE_PLAN) return { text: formatJson(plan), shards: new Map() };
  if (inForce !== null) {
    const same = printShards(plan, (bundle) => embed(codeOf(bundle)));
    if (digestOf(same.text) === inForce) return same;
  }
  return printShards(plan, (bundle) => (isWhole(codeOf(bundle)) ? embed(codeOf(bundle)) : "null"));
}

function printShards(plan: Plan, bodyOf: CodeOf): PrintedPlan {
  const { plan: sharded, shards } = shardPlan(plan, bodyOf);
  return { text: formatJson(sharded), shards };
}

type Group = Omit<ShardEntry, "digest">;

/** Groups the policies by what they want and puts those of a group into one file. */
function shardPlan(
  { version, project, policies }: Plan,
  bodyOf: CodeOf,
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
  const entries = [...groups.values()].map(({ entry, places }) => {
    const text = printShard(places, policies, bodyOf);
    const digest = digestOf(text);
    shards.set(digest, text);
    return { ...entry, digest };
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

function printShard(places: readonly number[], policies: readonly PlannedPolicy[], bodyOf: CodeOf): string {
  const chosen = places.flatMap((order) => {
    const policy = policies[order];
    return policy === undefined ? [] : [{ ...policy, order }];
  });
  const head: ShardHead = { policies: chosen.map((policy, at) => differenceFrom(chosen[at - 1], policy)) };
  const bodies = chosen.map((policy) => (policy.capabilities.length > 0 ? "null" : bodyOf(policy.bundle)));
  return `//${JSON.stringify(head)}\n[\n${bodies.join(",\n")}\n]\n`;
}

/** What an event would read, digest and check again for each policy of a card. */
function differenceFrom(before: ShardedPolicy | undefined, policy: ShardedPolicy): Partial<ShardedPolicy> {
  if (before === undefined) return policy;
  const known = new Map<string, unknown>(Object.entries(before));
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(known.get(name));
  return Object.fromEntries(Object.entries(policy).filter(differs));
}

/** The brackets around the function have it compiled at once: it is going to be called. */
function embed(code: string): string {
  return `(function(exports,require,module){${code}\n})`;
}

/**
 * What isn't a complete body of a function by itself, so that it could reach into its neighbours, is left out: the hook process
 * then reads the policy's own file.
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
