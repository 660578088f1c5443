import type { Host } from "../../../kernel/host.ts";
import { clean } from "../../../kernel/text.ts";
import { type ListedConsent, listConsents } from "../../../operations/consents.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { renderTable } from "../../render/table.ts";

export default class TrustList extends DrwnCommand {
  static override description = `List what you consented to in this project, and what it still asks for.

Consents are recorded on this machine. What the project's committed trust.json asks for is granted by nobody but you.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --json"];

  protected async answer(host: Host): Promise<Answer> {
    await this.parse(TrustList);
    const listed = listConsents(host);
    return {
      json: listed,
      print: ({ out, talk }) => {
        const { consents, asked, pausedUntil } = listed;
        const rows = consents.map((one) => [
          one.card,
          one.version ?? "",
          one.range,
          one.mode,
          stateOf(one, host.now()),
        ]);
        for (const row of renderTable(["card", "version", "range", "mode", "state"], rows)) out(row);
        for (const { card, range, isInstalled } of asked) {
          out(
            `${clean(card)} is asked for in the range ${clean(range)}${isInstalled ? "" : ", and is not in card.lock"}`,
          );
        }
        if (pausedUntil !== null) out(`Paused until ${pausedUntil}: no hook policy runs. To end it: drwn resume`);
        if (consents.length === 0 && asked.length === 0) talk("Nothing was consented to, and nothing is asked for");
        if (asked.length > 0) talk("Next: drwn trust accept");
      },
    };
  }
}

function stateOf({ revokedAt, expiresAt, by }: ListedConsent, now: Date): string {
  if (revokedAt !== null) return `withdrawn ${revokedAt}`;
  if (expiresAt !== null && Date.parse(expiresAt) <= now.getTime()) return `ended ${expiresAt}`;
  return expiresAt === null ? `by ${by ?? "nobody"}` : `by ${by ?? "nobody"}, until ${expiresAt}`;
}
