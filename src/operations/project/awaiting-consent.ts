import type { Host } from "../../kernel/host.ts";
import { decideSkills } from "../../materialize/skills.ts";
import { type CardActivation, decideActivations, isHeldBack } from "../../plan/activations.ts";
import { readInstalled } from "../../workspace/installed-card.ts";
import { readJoinFacts } from "../../workspace/join-facts.ts";
import { openProject } from "../../workspace/open-project.ts";

/**
 * The installed cards, in lock order, whose hook policies run or whose skills reach an agent only after a person's yes.
 * It leaves out cards whose consent a person revoked, and those that would go back to an earlier version: a person has
 * to name them.
 */
export function listAwaitingConsent(host: Host): string[] {
  const { drwnHome: home } = host;
  const { lock, ledger } = openProject(host);
  const activations = decideActivations(lock.cards, ledger, readJoinFacts(host));
  const cards = lock.cards.map((locked) => readInstalled(home, locked));
  const { withheld } = decideSkills({ home, cards, activations, ledger });
  const skills = withheld.filter(
    ({ why, activation }) => why === "code" && (activation?.state === "active" || mayBeAsked(activation)),
  );
  const hooks = activations.filter(
    (one) => one.locked !== null && one.locked.hooks.length > 0 && !isHeldBack(one) && mayBeAsked(one.activation),
  );
  const awaiting = new Set([...skills, ...hooks].map(({ card }) => card));
  return lock.cards.flatMap(({ name }) => (awaiting.has(name) ? [name] : []));
}

function mayBeAsked(activation: CardActivation["activation"] | undefined): boolean {
  if (activation === undefined || activation.state === "waits") return true;
  return activation.state === "off" && activation.why !== "revoked";
}
