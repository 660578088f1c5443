import type { Host } from "../kernel/host.ts";
import { approvalInForce, decideActivations } from "../materialize/activations.ts";
import { type OpenProject, openProject } from "../materialize/open-project.ts";

export interface ListedCard {
  name: string;
  version: string;
  range: string;
  hooks: string[];
  /** What becomes of its hook policies; null: it has none. */
  consent: HookConsent | null;
}

export interface HookConsent {
  state: "active" | "joins" | "waits" | "off";
  /** The range that was consented to. */
  range: string | null;
  /** The version whose policies are in force; not always the installed one. */
  inForce: string | null;
}

/** The locked cards in the order in which their policies run, and the guards that left the lock. */
export function listCards(host: Host): { root: string; cards: ListedCard[]; dropped: string[] } {
  const project = openProject(host);
  const consents = describeConsents(project);
  const cards = project.lock.cards.map(({ name, version, range, hooks }) => ({
    name,
    version,
    range,
    hooks: hooks.map((hook) => hook.name),
    consent: consents.get(name) ?? null,
  }));
  const locked = new Set(cards.map(({ name }) => name));
  return { root: project.root, cards, dropped: [...consents.keys()].filter((name) => !locked.has(name)) };
}

/** What becomes of the hooks of each card that has some, by its name. */
export function describeConsents({ lock, ledger }: Pick<OpenProject, "lock" | "ledger">): Map<string, HookConsent> {
  return new Map(
    decideActivations(lock.cards, ledger).map(({ card, grant, activation }) => [
      card,
      {
        state: activation.state,
        range: grant?.range ?? null,
        inForce: approvalInForce(activation)?.cardVersion ?? null,
      },
    ]),
  );
}
