import type { PlannedPolicy } from "../contract/plan.ts";
import type { JournalLine } from "../journal/line.ts";
import type { Finding } from "../kernel/finding.ts";
import { isAboutTools, isDecided, policyNameOf, wants } from "./stack.ts";

/** Fewer calls show no habit. */
const ENOUGH_CALLS = 10;

/** Policies that get in each other's way, as the journal shows. */
export function lintCalls(policies: readonly PlannedPolicy[], calls: readonly JournalLine[]): Finding[] {
  return [
    ...findMeetingRewrites(policies, calls),
    ...policies.flatMap((policy, place) => [
      ...findShadowed(policy, policies.slice(0, place), calls),
      ...findUnasked(policy, calls),
    ]),
  ];
}

/** Only the journal knows what a policy rewrites: nobody can tell before it runs. */
function findMeetingRewrites(policies: readonly PlannedPolicy[], calls: readonly JournalLine[]): Finding[] {
  const names = new Set(policies.map(policyNameOf));
  const rewritten = new Map<string, Rewritten>();
  for (const { tool, phase, policies: asked } of calls) {
    const isCall = phase === "pre-tool";
    const what = isCall ? tool : phase;
    if (what === null) continue;
    for (const { policy, rewrote, applied, carried } of asked) {
      // A rewrite that was only noted, or that the agent could not carry out, met no other.
      if (rewrote !== true || !applied || carried !== undefined || !names.has(policy)) continue;
      const found = rewritten.get(what) ?? { isCall, policies: new Set() };
      found.policies.add(policy);
      rewritten.set(what, found);
    }
  }
  return [...rewritten].flatMap(([what, { isCall, policies: rewriting }]) =>
    rewriting.size < 2
      ? []
      : [
          {
            code: "rewrites-meet",
            severity: "warning",
            subject: what,
            message: `${[...rewriting].sort().join(" and ")} rewrite the input of the same ${isCall ? "tool" : "event"}: the last of them wins, once all have judged it`,
            hint: `drwn log ${isCall ? "--tool" : "--on"} ${what}`,
          },
        ],
  );
}

/** A policy that wanted a person to decide where the agent can't ask one; only the journal knows for which calls. */
function findUnasked(policy: PlannedPolicy, calls: readonly JournalLine[]): Finding[] {
  const name = policyNameOf(policy);
  const places = new Set<string>();
  for (const { runtime, tool, phase, policies: asked } of calls) {
    const isLetThrough = asked.some(
      ({ policy: asking, decision, carried }) =>
        asking === name && decision === "ask" && carried !== undefined && isLetThroughBy(policy, carried),
    );
    if (isLetThrough) places.add(`${phase === "pre-tool" ? (tool ?? "a tool") : phase} in ${runtime}`);
  }
  if (places.size === 0) return [];
  return [
    {
      code: "ask-let-through",
      severity: "warning",
      subject: name,
      message: `wanted a person to decide where the agent can ask nobody, so it was let through: ${[...places].sort().join(", ")}`,
      hint: `drwn card trust ${policy.card} --hooks --ask-fallback deny`,
    },
  ];
}

/** Whether an ask that was let through like this would be again, under the terms of the consent. */
function isLetThroughBy({ askFallback }: PlannedPolicy, carried: string): boolean {
  return carried === "log-only" || carried === "none" || (carried === "allow" && askFallback === "allow");
}

interface Rewritten {
  /** True: a tool's call; false: what a moment of the session is about. */
  isCall: boolean;
  policies: Set<string>;
}

/** A guard that never gets its turn, because an earlier one denied each of many different calls. */
function findShadowed(
  policy: PlannedPolicy,
  before: readonly PlannedPolicy[],
  calls: readonly JournalLine[],
): Finding[] {
  const name = policyNameOf(policy);
  const decided = new Set<string>(policy.phases.filter(isDecided));
  if (policy.kind !== "enforcement" || decided.size === 0) return [];
  // The hook also asks the guard of a moment when the event doesn't say what a matcher would look at.
  const concerned = calls.filter(
    ({ tool, phase }) => decided.has(phase) && (tool === null ? !isAboutTools(phase) : wants(policy, tool)),
  );
  const denier = concerned.at(-1)?.by;
  if (denier === undefined || !before.some((one) => policyNameOf(one) === denier)) return [];
  const passed = concerned.findLastIndex(
    ({ by, verdict, policies }) =>
      verdict !== "deny" || by !== denier || policies.some((entry) => entry.policy === name),
  );
  // An agent that repeats a call says nothing about other calls.
  const different = new Set(concerned.slice(passed + 1).map(({ named, hash }) => named?.digest ?? hash));
  if (different.size < ENOUGH_CALLS) return [];
  return [
    {
      code: "policy-shadowed",
      severity: "warning",
      subject: name,
      message: `wasn't asked about the last ${different.size} different calls that ${policy.matcher === null ? "it is for" : `its matcher \`${policy.matcher}\` matches`}: ${denier} denied each of them before its turn`,
      hint: "drwn log --verdict deny",
    },
  ];
}
