import { parseCardName } from "../../card/name.ts";
import { drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { editConfig, withoutCard } from "../../project/config.ts";
import { editLock } from "../../project/lock.ts";
import { commitProject, requireLockedCard, withProject } from "../../project/open/open-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { editWithdrawal } from "../../project/trust-request.ts";
import { activeGrant } from "../../trust/ledger-file.ts";
import { editRevocation } from "./untrust.ts";

interface RemoveResult {
  card: string;
  /** True if its hook policies were in force: they are silent from the next tool call on. */
  revoked: boolean;
}

/** Takes the card out of the project, and withdraws the consent to its hooks. The next `write` removes its files. */
export async function removeCard(host: Host, name: string): Promise<RemoveResult> {
  const card = parseCardName(name);
  return withProject(host, (project) => {
    const granted = activeGrant(project.ledger, card) !== undefined;
    if (granted) requirePerson(host, "remove a card whose hook policies are in force", drwn("remove", card));
    if (!granted && !(card in project.config.cards)) requireLockedCard(project, card, drwn("list"));
    const { root, config, lock } = project;
    const revocation = editRevocation(host, project, card);
    commitProject(host, project, [
      ...revocation,
      editConfig(root, withoutCard(config, card)),
      editLock(root, { ...lock, cards: lock.cards.filter((locked) => locked.name !== card) }),
      ...editWithdrawal(root, card),
    ]);
    return { card, revoked: revocation.length > 0 };
  });
}
