import type { PlannedPolicy } from "../contract/plan.ts";
import { now } from "../hot/primordials.ts";
import type { EventText } from "./enter/event.ts";
import { findException } from "./exceptions/exceptions.ts";
import { describeHookCall, type Project } from "./hook-call.ts";
import { type Journal, noteAnswer, openJournal } from "./journal/journal.ts";
import { isConfined } from "./run/confined.ts";
import { failure } from "./run/policy-answer.ts";
import { type PreparedPolicy, preparePolicy } from "./verify/prepare.ts";
import { type SelectedPolicy, selectPolicies } from "./verify/select.ts";
import type { LoadedPolicy } from "./verify/shards.ts";

/** Everything that is read before the first policy runs. */
export interface PreparedCall {
  journal: Journal;
  /**
   * In the order in which they are asked; a policy that is asked about several parts of a call is listed several times.
   */
  prepared: PreparedPolicy[];
  events: EventText[];
  planned: LoadedPolicy[];
}

export function prepareCall(project: Project, event: EventText): PreparedCall {
  const { phase, policies } = project;
  const journal = openJournal(project, describeHookCall(project, event));
  const wanted = selectPolicies(shadowsLast(policies), { event, phase }, (policy) =>
    noteMatcher(project, journal, policy),
  );
  return {
    journal,
    prepared: prepareOnce(project, wanted, phase === "pre-tool" ? event : null),
    events: wanted.map((asked) => asked.event),
    planned: wanted.map(({ policy }) => policy),
  };
}

/** Keeps the order of `wanted`. A policy that is asked about several parts of a call is read and loaded once. */
function prepareOnce(project: Project, wanted: readonly SelectedPolicy[], call: EventText | null): PreparedPolicy[] {
  const prepared = new Map<LoadedPolicy, PreparedPolicy>();
  return wanted.map(({ policy }) => {
    const known = prepared.get(policy);
    if (known !== undefined) return known;
    // Other processes get the policy as text, not as a compiled body.
    const ready = preparePolicy(project, isConfined() ? policy : { ...policy, body: null });
    const { exceptions = [], scope = project.key } = policy;
    // An exception is for calls of its own project, where its uses are noted.
    if (call !== null && exceptions.length > 0 && scope === project.key)
      ready.exception = findException(project, exceptions, call);
    prepared.set(policy, ready);
    return ready;
  });
}

/** Shadows change nothing, so they must not take time from the other policies either. */
function shadowsLast(policies: readonly LoadedPolicy[]): LoadedPolicy[] {
  const isShadow = ({ mode }: PlannedPolicy): boolean => mode === "shadow";
  return [...policies.filter((policy) => !isShadow(policy)), ...policies.filter(isShadow)];
}

function noteMatcher(project: Project, journal: Journal, policy: PlannedPolicy): void {
  const answer = failure("has a matcher that does not work");
  noteAnswer(journal, preparePolicy(project, policy), {
    answer,
    carried: answer.action,
    isApplied: false,
    begun: now(),
  });
}
