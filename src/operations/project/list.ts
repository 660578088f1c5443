import { agentsByState, type Guarding, readGuarding, whyNotGuarded } from "../../check/guarding.ts";
import { adviseIn, type CommandScope, drwn, type Text } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import { findWaitingOptions, readInstalled } from "../../project/open/installed-card.ts";
import { readJoinFacts } from "../../project/open/join-facts.ts";
import { findGlobalBeside } from "../../project/open/locate-project.ts";
import { lookAtProject, type OpenProject, openToDecide } from "../../project/open/open-project.ts";
import { isStored } from "../../registry/store.ts";
import { explainOff, explainWait } from "../../trust/activation.ts";
import { isLoosened, type LoosenedOption } from "../../trust/options.ts";
import { decideSkills } from "../../write/content.ts";
import {
  approvalInForce,
  type CardActivation,
  commandToReview,
  decideActivations,
  isHeldBack,
  specToBringBack,
} from "../../write/plan/activations.ts";

export interface ListedCard {
  name: string;
  version: string;
  range: string;
  hooks: string[];
  /** The state of its hook policies; null: it has none. */
  consent: HookConsent | null;
}

export interface HookConsent {
  /** `unguarded`: it was consented to, but isn't in force. `refused`: `write` would refuse what card.lock names. */
  state: "active" | "unguarded" | "joins" | "waits" | "refused" | "off";
  /** The range that was consented to. */
  range: string | null;
  /** The version whose policies are in force; not always the installed one. */
  inForce: string | null;
  /** The agents of this machine in which it is in force; absent: in all that it is for. */
  inForceIn?: string[];
  /** Why the installed version is not in force, in one sentence; null: it is, or joins with the next `write`. */
  reason: string | null;
  /** When it joins by itself, ISO 8601; null: it takes a person, or nothing more. */
  joinsAt: string | null;
  /** Its publisher has yanked the installed version. */
  yanked: boolean;
  /** The same of the version in force. */
  inForceYanked: boolean;
  /** `drwn trust` reviews it. */
  awaits: boolean;
  /** The command that reviews it, or fixes what `write` would refuse; null: there is none. */
  review: Text | null;
}

export interface ListedCards {
  root: string;
  /** `global`: it holds in every folder, `system`: for every user; `root` is where that is asked for. */
  scope: "project" | "global" | "system";
  guarding: Guarding;
  /** The locked cards in the order in which their policies run. */
  cards: ListedCard[];
  /** Guards that left the lock other than by `remove`: they stay in force. */
  dropped: string[];
  /** What `add` brings back: guards that left the lock, or went back in it; a person should look at these first. */
  bringBack: { card: string; spec: string }[];
  /** Option values that the project asks for and that may guard less: they wait for a person. */
  looserOptions: LoosenedOption[];
}

interface ListedBoth extends ListedCards {
  /** What holds in every folder, this one included; null: nothing does, or the question was about that. */
  global: ListedCards | null;
}

export function listCards(host: Host): ListedCards {
  return describeCards(host, lookAtProject(host));
}

/** The same, with what holds in every folder. */
export function listBoth(host: Host): ListedBoth {
  const other = findGlobalBeside(host);
  return { ...listCards(host), global: other === undefined ? null : adviseIn("global", listCards(other)) };
}

export function describeCards(
  host: Host,
  project: OpenProject,
  guarding: Guarding = readGuarding(host, project),
): ListedCards {
  const activations = activationsIn(host, project);
  const consents = withGuarding(consentsOf(host, activations, guarding.notInForce), guarding);
  const cards = project.lock.cards.map(({ name, version, range, hooks }) => ({
    name,
    version,
    range,
    hooks: hooks.map((hook) => hook.name),
    consent: consents.get(name) ?? null,
  }));
  const locked = new Set(cards.map(({ name }) => name));
  const scope = host.scope ?? (project.isGlobal ? "global" : "project");
  return {
    root: project.root,
    scope,
    guarding,
    cards,
    dropped: [...consents.keys()].filter((name) => !locked.has(name)),
    bringBack: activations.flatMap((one) => {
      const spec = specToBringBack(one);
      return spec === null ? [] : [{ card: one.card, spec }];
    }),
    looserOptions: looserOptionsIn(project),
  };
}

/** A trust.json that can't be read asks for nothing; `write` and `doctor` say what is wrong with it. */
function looserOptionsIn(project: OpenProject): LoosenedOption[] {
  try {
    return findWaitingOptions(project).filter(isLoosened);
  } catch (error) {
    if (isProblem(error)) return [];
    throw error;
  }
}

/** If a card's guards don't hold, none of its hooks is in force, whatever was consented to. */
function withGuarding(consents: ReadonlyMap<string, HookConsent>, guarding: Guarding): Map<string, HookConsent> {
  const fault = whyNotGuarded(guarding);
  return new Map(
    [...consents].map(([card, consent]) => {
      const former = guarding.replaced.find((one) => one.card === card);
      if (fault === null && former !== undefined && consent.state === "active")
        return [card, { ...consent, state: "joins", inForce: former.inForce }];
      const { inForce: inForceIn, not } = agentsByState(guarding, card);
      const where = not.length > 0 || (inForceIn.length === 0 && guarding.agents.length > 0) ? { inForceIn } : {};
      if (fault === null || !guarding.notInForce.includes(card)) return [card, { ...consent, ...where }];
      const none = { ...consent, inForce: null };
      if (consent.state !== "active") return [card, none];
      return [card, { ...none, ...where, state: "unguarded", reason: fault.message }];
    }),
  );
}

/** The state of the hooks of each card that has some, by its name. */
export function describeConsents(host: Host, project: Pick<OpenProject, "lock" | "ledger">): Map<string, HookConsent> {
  return consentsOf(host, activationsIn(host, project));
}

function activationsIn(host: Host, { lock, ledger }: Pick<OpenProject, "lock" | "ledger">): CardActivation[] {
  return decideActivations(lock.cards, ledger, readJoinFacts(host));
}

function consentsOf(
  host: Host,
  activations: readonly CardActivation[],
  notInForce: readonly string[] = [],
): Map<string, HookConsent> {
  const { releaseOf } = readJoinFacts(host);
  const isYanked = (tree: string) => (releaseOf(tree)?.yankedAt ?? null) !== null;
  return new Map(
    activations.map((activation) => {
      const consent = asWritten(host, activation, notInForce.includes(activation.card));
      const yanked = activation.locked !== null && isYanked(activation.locked.tree);
      const inForce = approvalInForce(activation);
      const known = { ...consent, yanked, inForceYanked: inForce !== undefined && isYanked(inForce.tree) };
      // drwn doesn't suggest reviewing a version that its publisher yanked, but another one.
      return [activation.card, yanked ? { ...known, awaits: false, review: drwn("update") } : known];
    }),
  );
}

/** A version joins only if `write` finds the card that the lock names, from the publisher that the lock names. */
function asWritten(host: Host, activation: CardActivation, isOut: boolean): HookConsent {
  const { locked } = activation;
  const consent = toConsent(activation, host.scope, isOut);
  if (consent.state !== "joins" || locked === null) return consent;
  try {
    readInstalled(host.drwnHome, locked);
    return consent;
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { ...consent, state: "refused", reason: error.message, review: error.hint ?? null };
  }
}

/** `isOut`: nothing of the card is in force, whatever was approved. */
function toConsent(one: CardActivation, scope: CommandScope, isOut: boolean): HookConsent {
  const { grant, locked, activation } = one;
  const { state } = activation;
  const isInForce = state === "active" || state === "joins";
  const hasHooks = locked !== null && locked.hooks.length > 0;
  return {
    state,
    range: grant?.range ?? null,
    inForce: approvalInForce({ activation, grant })?.cardVersion ?? null,
    reason: isInForce
      ? null
      : state === "off"
        ? explainOff(activation.why, scope)
        : explainWait(activation.why, isOut ? undefined : activation.approval),
    joinsAt: state === "waits" && activation.why.because === "age" ? activation.why.joinsAt : null,
    yanked: false,
    inForceYanked: false,
    awaits: hasHooks && awaitsReview(one),
    review: isInForce || !hasHooks ? null : commandToReview(one),
  };
}

export { NO_AGENT } from "../../check/fault.ts";
export { type AgentState, agentsByState, commandToAdd, type Guarding } from "../../check/guarding.ts";

/**
 * The cards on this machine, in lock order, whose hook policies run or whose skills reach an agent only after a person's yes.
 * It leaves out cards whose consent a person revoked, and those that would go back to an earlier version: a person has
 * to name them.
 */
export function listAwaitingConsent(host: Host): string[] {
  const { drwnHome: home } = host;
  const { lock, ledger } = openToDecide(host);
  const here = lock.cards.filter(({ tree }) => isStored(home, tree));
  const activations = decideActivations(here, ledger, readJoinFacts(host));
  const cards = here.map((locked) => readInstalled(home, locked));
  const { withheld } = decideSkills({ home, cards, activations, ledger });
  const skills = withheld.filter(
    ({ why, activation }) => why === "code" && (activation?.state === "active" || mayBeAsked(activation)),
  );
  const hooks = activations.filter((one) => one.locked !== null && one.locked.hooks.length > 0 && awaitsReview(one));
  const awaiting = new Set([...skills, ...hooks].map(({ card }) => card));
  return here.flatMap(({ name }) => (awaiting.has(name) ? [name] : []));
}

function awaitsReview(one: CardActivation): boolean {
  return !isHeldBack(one) && mayBeAsked(one.activation);
}

function mayBeAsked(activation: CardActivation["activation"] | undefined): boolean {
  if (activation === undefined || activation.state === "waits") return true;
  return activation.state === "off" && activation.why !== "revoked";
}
