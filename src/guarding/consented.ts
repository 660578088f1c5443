import { findMoments } from "../agents/adapters/moments.ts";
import { type Grant, type HookFacts, hasPassed, type Mode, modeOf } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";
import { type CardActivation, decideActivations } from "../plan/activations.ts";
import type { Runtime } from "../policy/event.ts";
import { isLifecycleEvent } from "../policy/taxonomy.ts";
import { approvedHooks, lastInForce } from "../trust/activation.ts";
import { findFormerPlace } from "../trust/former-place.ts";
import { readJoinRules } from "../workspace/join-rules.ts";
import type { OpenProject } from "../workspace/open-project.ts";

/** A policy that somebody consented to, and that is to be asked. */
export interface ConsentedPolicy extends HookFacts {
  name: string;
  card: string;
  cardVersion: string;
  mode: Mode;
  /** The agents in which it runs; null: all that are guarded. */
  runtimes: string[] | null;
}

/** What was consented to here, and where the state of that lies. */
export interface ConsentState {
  /** Names ledger and plan: of a folder that was moved, as it was before. */
  key: string;
  /** Digest of the plan that the ledger names. */
  plan: string | null;
  activations: CardActivation[];
  policies: ConsentedPolicy[];
}

/** Of a version that would join with the next `write`, what is in force until then counts. */
export function readConsented(host: Host, project: OpenProject): ConsentState {
  const { key, ledger, identity, lock, formerPath } = project;
  const activations = decideActivations(lock.cards, ledger, readJoinRules(host));
  const former = formerPath === null ? undefined : findFormerPlace(host.drwnHome, identity);
  if (former !== undefined) {
    const grants = former.ledger.grants.filter((grant) => isHeld(grant, host.now()));
    return { key: former.key, plan: former.ledger.plan, activations, policies: grants.flatMap(policiesOf) };
  }
  const grants = activations.flatMap(({ grant }) => grant ?? []);
  return { key, plan: ledger?.plan ?? null, activations, policies: grants.flatMap(policiesOf) };
}

function isHeld({ revokedAt, expiresAt }: Grant, now: Date): boolean {
  return revokedAt === null && !hasPassed(expiresAt, now.getTime());
}

function policiesOf(grant: Grant): ConsentedPolicy[] {
  const approval = lastInForce(grant);
  if (approval === undefined) return [];
  const { card, runtimes } = grant;
  const of = { card, cardVersion: approval.cardVersion, mode: modeOf(grant, approval), runtimes };
  return approvedHooks(approval).map(({ facts }) => ({ ...facts, ...of }));
}

/** Whether the policy is asked in this agent. */
export function isFor(runtime: Runtime, { runtimes }: ConsentedPolicy): boolean {
  return runtimes === null || runtimes.includes(runtime);
}

/** Whether what this policy denies is held in this agent, and what it fails at as well. */
export function isGuardIn(runtime: Runtime, { kind, mode, phases }: ConsentedPolicy): boolean {
  if (kind !== "enforcement" || mode === "shadow") return false;
  return phases.some((phase) => {
    if (phase === "pre-tool") return true;
    return isLifecycleEvent(phase) && findMoments(runtime)?.powersAt(phase)?.holds === true;
  });
}
