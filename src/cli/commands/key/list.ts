import type { Host } from "../../../kernel/host.ts";
import { clean } from "../../../kernel/text.ts";
import { listKeys } from "../../../operations/keys.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { renderTable } from "../../render/table.ts";

export default class KeyList extends DrwnCommand {
  static override description =
    "List your own keys, the publishers' keys that this machine knows, and those whose signed consents it takes.";
  static override examples = ["<%= config.bin %> <%= command.id %>"];

  protected async answer(host: Host): Promise<Answer> {
    await this.parse(KeyList);
    const keys = listKeys(host);
    const rows = [
      ...keys.own.map(({ scope, publisher }) => [scope, publisher, "yours"]),
      ...keys.scopes.flatMap(({ scope, publishers }) => publishers.map((one) => [scope, one, "entered by you"])),
      ...keys.cards.map(({ card, publisher }) => [card, publisher, "pinned"]),
      ...keys.consents.flatMap((one) => one.signers.map((key) => [clean(one.for, 100), key, "signs consents"])),
    ];
    return {
      json: keys,
      print: ({ out, talk }) => {
        if (rows.length === 0) talk("No keys yet. Next: drwn key new <@scope>");
        for (const line of renderTable(["for", "key", ""], rows)) out(line);
      },
    };
  }
}
