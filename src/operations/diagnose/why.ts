import { skillsOf } from "../../card/manifest.ts";
import { parseCardName } from "../../card/name.ts";
import type { DescribedServer } from "../../card/server.ts";
import { explainWithheld } from "../../check/doctor/check-consents.ts";
import { agentsByState, type Guarding, readGuarding, whyNotGuarded } from "../../check/guarding.ts";
import type { Approval, HookFacts } from "../../contract/ledger.ts";
import { type CommandScope, drwn, sayIn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import type { LockedCard } from "../../project/lock.ts";
import { type InstalledCard, readInstalled } from "../../project/open/installed-card.ts";
import { readJoinFacts } from "../../project/open/join-facts.ts";
import { lookAtProject, type OpenProject, requireLockedCard } from "../../project/open/open-project.ts";
import { readTrustRequest } from "../../project/trust-request.ts";
import { approvedHooks, explainOff, explainWait } from "../../trust/activation.ts";
import { isSeenFrom } from "../../trust/releases.ts";
import { decideSkills } from "../../write/content.ts";
import { approvalInForce, type CardActivation, decideActivations } from "../../write/plan/activations.ts";
import { describeServers } from "../../write/plan-write.ts";
import type { HookConsent } from "../project/list.ts";

export interface Why {
  card: string;
  guarding: Guarding;
  /** What asks for the card. */
  asked: {
    /** The range in config.json; null: it does not ask for the card. */
    range: string | null;
    /** The range in trust.json that the project asks consent for; null: it doesn't. */
    trustRequest: string | null;
    locked: {
      version: string;
      source: string;
      /** False: only card.lock says so. */
      isSourceSeen: boolean;
      publisher: string | null;
      tree: string;
      /** What an npm registry itself vouched for about this version; null: no such statement is known. */
    } | null;
  };
  /** What it contains; null if it isn't in card.lock. */
  brings: {
    skills: string[];
    /** Those of the skills that don't reach an agent unchanged, and why. */
    withheldSkills: { skill: string; reason: string }[];
    servers: DescribedServer[];
    hooks: (HookFacts & { name: string })[];
  } | null;
  /** Which of its hooks are in force. */
  inForce: {
    state: HookConsent["state"] | "none";
    /** One sentence. */
    because: string;
    grant: { range: string; source: string; publisher: string | null; grantedAt: string } | null;
    version: string | null;
    hooks: (HookFacts & { name: string })[];
    /** The agents of this machine in which they are in force; absent: in all that they are for. */
    inForceIn?: string[];
  };
}

/** Why a card is here: what asks for it, what it brings, and which parts are in force. */
export function explainCard(host: Host, name: string): Why {
  const card = parseCardName(name);
  const project = lookAtProject(host);
  const activation = decideActivations(project.lock.cards, project.ledger, readJoinFacts(host)).find(
    (one) => one.card === card,
  );
  const locked = project.lock.cards.find((one) => one.name === card);
  const range = Object.hasOwn(project.config.cards, card) ? (project.config.cards[card] ?? null) : null;
  if (locked === undefined && activation === undefined && range === null) requireLockedCard(project, card);
  const installed = locked === undefined ? undefined : readInstalled(host.drwnHome, locked);
  const { requests } = readTrustRequest(project.root);
  const trustRequest = Object.hasOwn(requests, card) ? (requests[card]?.hooks ?? null) : null;
  const guarding = readGuarding(host, project);
  return {
    card,
    guarding,
    asked: {
      range,
      trustRequest,
      locked: locked === undefined ? null : pickLocked(host, locked),
    },
    brings:
      installed === undefined
        ? null
        : {
            skills: [...skillsOf(installed.manifest)],
            withheldSkills: withheldOf(host, project, installed),
            servers: describeServers([installed]),
            hooks: installed.index.hooks.map(toNamedFacts),
          },
    inForce: withGuarding(describeForce(host, activation, guarding), card, guarding),
  };
}

function withheldOf({ drwnHome: home, now }: Host, { lock, ledger }: OpenProject, card: InstalledCard) {
  const activations = decideActivations(lock.cards, ledger, readJoinFacts({ drwnHome: home, now }));
  const { withheld } = decideSkills({ home, cards: [card], activations, ledger });
  return withheld.map((one) => ({ skill: one.skill, reason: explainWithheld(one) }));
}

function pickLocked(host: Host, locked: LockedCard): Why["asked"]["locked"] {
  const { version, source, publisher, tree } = locked;
  const isSourceSeen = isSeenFrom(host.drwnHome, locked);
  return { version, source, isSourceSeen, publisher, tree };
}

function describeForce(
  { scope }: Host,
  activation: CardActivation | undefined,
  { replaced }: Guarding,
): Why["inForce"] {
  if (activation === undefined) {
    return { state: "none", because: "it has no hooks here", grant: null, version: null, hooks: [] };
  }
  const { card, grant } = activation;
  const former = replaced.find((one) => one.card === card);
  const isReplaced = former !== undefined && activation.activation.state === "active";
  const approval = isReplaced
    ? grant?.approved.findLast(({ cardVersion }) => cardVersion === former.inForce)
    : approvalInForce(activation);
  return {
    state: isReplaced ? "joins" : activation.activation.state,
    because: isReplaced
      ? `a person has consented to ${former.version}, and the next \`${sayIn(scope, drwn("write"))}\` puts it in force`
      : explainForce(scope, activation, approval),
    grant: grant === null ? null : pickGrant(grant),
    version: approval?.cardVersion ?? null,
    hooks: approval === undefined ? [] : approvedHooks(approval).map(({ facts }) => toNamedFacts(facts)),
  };
}

/** If the card's guards hold in no agent, none of its hooks is in force. */
function withGuarding(inForce: Why["inForce"], card: string, guarding: Guarding): Why["inForce"] {
  const fault = whyNotGuarded(guarding);
  if (fault === null || !guarding.notInForce.includes(card)) return inForce;
  const { inForce: inForceIn } = agentsByState(guarding, card);
  const held = inForceIn.length > 0 ? { ...inForce, inForceIn } : { ...inForce, version: null, hooks: [] };
  return inForce.state === "active" ? { ...held, state: "unguarded", because: fault.message } : held;
}

function pickGrant({ range, source, publisher, grantedAt }: NonNullable<Why["inForce"]["grant"]>) {
  return { range, source, publisher, grantedAt };
}

function explainForce(
  scope: CommandScope,
  { card, locked, activation }: CardActivation,
  approval: Approval | undefined,
): string {
  switch (activation.state) {
    case "off":
      return explainOff(activation.why, scope);
    case "joins":
      return `the consent covers this version, and the next \`${sayIn(scope, drwn("write"))}\` puts it in force`;
    case "waits":
      return explainWait(activation.why, activation.approval);
    case "active":
      if (locked === null)
        return `it left card.lock, and only \`${sayIn(scope, drwn("remove", card))}\` takes a guard out of force`;
      return approval?.by === "range" ? "it joined an earlier consent by itself" : "a person has consented to it";
  }
}

function toNamedFacts({ name, kind, matcher, phases, timeoutMs, capabilities }: HookFacts & { name: string }) {
  return { name, kind, matcher, phases, timeoutMs, capabilities };
}
