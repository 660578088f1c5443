import type { Host } from "../../../kernel/host.ts";
import { listPublished } from "../../../operations/show-card.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { renderTable } from "../../render/table.ts";

export default class CardList extends DrwnCommand {
  static override description = "List the cards in the default registry, with their versions.";
  static override examples = ["<%= config.bin %> <%= command.id %>"];

  protected async answer(host: Host): Promise<Answer> {
    await this.parse(CardList);
    const cards = await listPublished(host);
    return {
      json: { cards },
      print: ({ out, talk }) => {
        if (cards.length === 0) talk("Nothing is published yet. Next: drwn card publish <source>");
        const rows = cards.map(({ name, latest, versions, yanked }) => [
          name,
          latest ?? "none",
          versions.map((version) => (yanked.includes(version) ? `${version} (yanked)` : version)).join(", "),
        ]);
        for (const line of renderTable(["card", "latest", "versions"], rows)) out(line);
      },
    };
  }
}
