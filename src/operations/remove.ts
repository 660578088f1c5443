import { parseCardName } from "../card/name.ts";
import type { Host } from "../kernel/host.ts";
import { requireLockedCard } from "../materialize/open-project.ts";
import { withoutCard, writeConfig } from "../project/config.ts";
import { writeLock } from "../project/lock.ts";
import { withdrawRequest } from "../project/trust-request.ts";
import { activeGrant } from "../trust/ledger-file.ts";
import { requirePerson } from "./require-person.ts";
import { revokeGrant } from "./untrust.ts";
import { withProject } from "./with-project.ts";

export interface Removed {
  card: string;
  /** True when its hook policies were in force: they are silent from the next tool call on. */
  revoked: boolean;
}

/** Takes the card out of the project, and with it the consent to its hooks. Its files go at the next `write`. */
export async function removeCard(host: Host, name: string): Promise<Removed> {
  const card = parseCardName(name);
  return withProject(host, (project) => {
    const granted = activeGrant(project.ledger, card) !== undefined;
    if (granted) requirePerson(host, "remove a card whose hook policies are in force", `drwn remove ${card}`);
    if (!granted && !(card in project.config.cards)) requireLockedCard(project, card);
    writeConfig(project.root, withoutCard(project.config, card));
    writeLock(project.root, { ...project.lock, cards: project.lock.cards.filter((locked) => locked.name !== card) });
    withdrawRequest(project.root, card);
    return { card, revoked: revokeGrant(host, project, card) };
  });
}
