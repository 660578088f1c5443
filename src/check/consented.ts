import { findLifecycleAdapter } from "../agents/adapters.ts";
import { type Approval, type Grant, type HookFacts, hasPassed, type Mode, modeOf } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";
import { type Finding, isProblem } from "../kernel/problem.ts";
import type { AgentId } from "../policy/event.ts";
import { isLifecycleEvent } from "../policy/lifecycle-events.ts";
import { readJoinFacts } from "../project/open/join-facts.ts";
import type { OpenProject } from "../project/open/open-project.ts";
import { approvedHooks, lastInForce } from "../trust/activation.ts";
import { findFormerProject } from "../trust/former-project.ts";
import type { AgentContext, Target } from "../wiring/target.ts";
import { type CardActivation, decideActivations } from "../write/plan/activations.ts";
import { type PolicyInForce, readPlanInForce } from "../write/plan/plan-in-force.ts";
import type { Requirements } from "../write/plan/requirements.ts";
import type { GuardFault } from "./fault.ts";

/** A policy that somebody consented to, so that the hook has to ask it. */
export interface ConsentedPolicy extends HookFacts {
  name: string;
  card: string;
  cardVersion: string;
  mode: Mode;
  /** The agents in which it runs; null: all that are guarded. */
  runtimes: string[] | null;
}

/** What somebody consented to here, and where the state of that is. */
export interface ConsentState {
  /** Names ledger and plan; for a folder that was moved, it is the key of its former place. */
  key: string;
  /** Digest of the plan that the ledger names. */
  plan: string | null;
  activations: CardActivation[];
  policies: ConsentedPolicy[];
  /** The policies of that plan; null: the plan is gone, or can't be read. */
  planned: PolicyInForce[] | null;
  /** Versions that a person has consented to, with which `write` will replace the ones in force. */
  replaced: { card: string; inForce: string; version: string }[];
}

/** Until the next `write`, what is in force counts, not a version that would join or was just consented to. */
export function readConsented(host: Host, project: OpenProject): ConsentState {
  const { key, ledger, identity, lock, formerPath } = project;
  const activations = decideActivations(lock.cards, ledger, readJoinFacts(host));
  const former = formerPath === null ? undefined : findFormerProject(host.drwnHome, identity);
  const place = former ?? { key, ledger };
  const grants =
    former === undefined
      ? activations.flatMap(({ grant }) => grant ?? [])
      : former.ledger.grants.filter((grant) => isHeld(grant, host.now()));
  const plan = place.ledger?.plan ?? null;
  const planned = plan === null ? [] : readPlanned(host.drwnHome, place.key, plan);
  const found = grants.flatMap((grant) => inForceOf(grant, planned));
  return {
    ...{ key: place.key, plan, activations, planned },
    policies: found.flatMap(({ grant, approval }) => policiesOf(grant, approval)),
    replaced: found.flatMap(({ grant: { card }, approval, last }) =>
      last === approval ? [] : [{ card, inForce: approval.cardVersion, version: last.cardVersion }],
    ),
  };
}

/** null: the plan can't be read. */
function readPlanned(home: string, key: string, plan: string): ConsentState["planned"] {
  try {
    return readPlanInForce(home, key, plan)?.policies ?? null;
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}

/** The hook obeys any approval of a grant that the plan names. */
function inForceOf(grant: Grant, planned: ConsentState["planned"]) {
  const last = lastInForce(grant);
  if (last === undefined) return [];
  const own = (planned ?? []).filter(({ card }) => card === grant.card);
  const approval = isPlanned(last, own) ? last : (grant.approved.findLast((one) => isPlanned(one, own)) ?? last);
  return [{ grant, approval, last }];
}

/** A linked folder can have several contents under one version. */
function isPlanned({ cardVersion, bundles }: Approval, own: readonly PolicyInForce[]): boolean {
  const policies = own.filter((policy) => policy.cardVersion === cardVersion);
  return policies.length > 0 && policies.every(({ hook, bundle = bundles[hook] }) => bundle === bundles[hook]);
}

function isHeld({ revokedAt, expiresAt }: Grant, now: Date): boolean {
  return revokedAt === null && !hasPassed(expiresAt, now.getTime());
}

function policiesOf(grant: Grant, approval: Approval): ConsentedPolicy[] {
  const { card, runtimes } = grant;
  const of = { card, cardVersion: approval.cardVersion, mode: modeOf(grant, approval), runtimes };
  return approvedHooks(approval).map(({ facts }) => ({ ...facts, ...of }));
}

/** Whether the policy runs in this agent. */
export function runsIn(runtime: AgentId, { runtimes }: ConsentedPolicy): boolean {
  return runtimes === null || runtimes.includes(runtime);
}

/** Whether this agent holds what the policy denies, or fails to judge. */
export function isGuardIn(runtime: AgentId, { kind, mode, phases }: ConsentedPolicy): boolean {
  if (kind !== "enforcement" || mode === "shadow") return false;
  return phases.some((phase) => {
    if (phase === "pre-tool") return true;
    return isLifecycleEvent(phase) && findLifecycleAdapter(runtime)?.powersAt(phase)?.holds === true;
  });
}

/** The cards of which some policy is for the agent. */
export function cardsFor(runtime: AgentId, { policies }: ConsentState): string[] {
  return [...new Set(policies.filter((policy) => runsIn(runtime, policy)).map(({ card }) => card))];
}

/** What the project requires of everybody but isn't in force on this machine. */
export function checkUnmet({ unmet }: Requirements): Finding[] {
  return unmet.map((requirement) => ({
    code: "required-hooks-unmet",
    severity: "error",
    subject: requirement,
    message:
      "this project requires these hook policies, but they are not in force here; its shared entry blocks every tool call",
    hint: "drwn init",
  }));
}

/** Unmet requirements block calls if each agent has the entry that the project commits. */
export function judgeUnmet(
  place: AgentContext,
  { unmet, targets }: { unmet: readonly Finding[]; targets: readonly Target[] },
): GuardFault[] {
  const isHeld = () => targets.every((target) => (target.committedEntry?.(place) ?? null) !== null);
  return unmet.map((finding) => ({ comesTo: isHeld() ? "blocks" : "opens", finding }));
}
