import type { PolicyPhase } from "../../contract/ledger.ts";
import { isHarmless } from "../../contract/processes.ts";
import type { EventText } from "../enter/event.ts";
import type { LoadedPolicy } from "./shards.ts";

/** A policy, and the event or part of one to ask it about. */
export interface SelectedPolicy {
  policy: LoadedPolicy;
  event: EventText;
}

/**
 * The questions to ask at this phase: each policy about the call, and about each of its views whose tool the policy
 * matches. If a call has several names, a policy that can block it is asked under each name that it matches, since its
 * code may know only one of them; all others are asked once. A broken expression matches everything for an enforcement
 * policy and nothing for an observer, and `onFault` is called.
 */
export function selectPolicies(
  policies: readonly LoadedPolicy[],
  { event, phase }: { event: EventText; phase: PolicyPhase },
  onFault: (policy: LoadedPolicy) => void,
): SelectedPolicy[] {
  const { names, views } = event;
  // Canonical names come first: policies for every agent know those.
  const wholes = names.length === 0 ? [event] : [...names, event];
  return policies.flatMap((policy) => {
    if (!policy.phases.includes(phase)) return [];
    const matches = readMatcher(policy, onFault);
    const matched = wholes.filter(matches);
    const whole = phase === "pre-tool" && !isHarmless(policy) ? matched : matched.slice(0, 1);
    return [...whole, ...views.filter(matches)].map((part) => ({ policy, event: part }));
  });
}

function readMatcher(policy: LoadedPolicy, onFault: (policy: LoadedPolicy) => void): (part: EventText) => boolean {
  if (policy.match === null) return () => true;
  try {
    const match = new RegExp(policy.match, "u");
    return ({ toolName, aliases }) =>
      match.test(toolName) ||
      aliases.some((name) => match.test(name)) ||
      // An event of a session without a subject.
      (toolName === "" && policy.kind === "enforcement");
  } catch {
    onFault(policy);
    return () => policy.kind === "enforcement";
  }
}
