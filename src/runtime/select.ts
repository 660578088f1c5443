import type { PolicyPhase } from "../contract/ledger.ts";
import type { EventText } from "./event.ts";
import type { LoadedPolicy } from "./shards.ts";

/** A policy, and the event or the part of it that it is to be asked about. */
export interface Asked {
  policy: LoadedPolicy;
  event: EventText;
}

/**
 * What has to be asked at this phase: each policy about the call, once and under one of the names that it matches, and
 * about each of its views whose tool it matches. An expression that does not work matches everything for an enforcement policy
 * and nothing for an observer. `onFault` hears of it.
 */
export function selectPolicies(
  policies: readonly LoadedPolicy[],
  { event, phase }: { event: EventText; phase: PolicyPhase },
  onFault: (policy: LoadedPolicy) => void,
): Asked[] {
  const { names, views } = event;
  // A canonical name is what policies for every agent know.
  const wholes = names.length === 0 ? [event] : [...names, event];
  return policies.flatMap((policy) => {
    if (!policy.phases.includes(phase)) return [];
    const matches = readMatcher(policy, onFault);
    const whole = wholes.find(matches);
    const parts = views.length === 0 ? [] : views.filter(matches);
    return (whole === undefined ? parts : [whole, ...parts]).map((part) => ({ policy, event: part }));
  });
}

function readMatcher(policy: LoadedPolicy, onFault: (policy: LoadedPolicy) => void): (part: EventText) => boolean {
  if (policy.match === null) return () => true;
  try {
    const match = new RegExp(policy.match);
    return ({ toolName, aliases }) =>
      match.test(toolName) ||
      aliases.some((name) => match.test(name)) ||
      // A session's event that does not say what it is about.
      (toolName === "" && policy.kind === "enforcement");
  } catch {
    onFault(policy);
    return () => policy.kind === "enforcement";
  }
}
