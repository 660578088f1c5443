import * as Args from "@oclif/core/args";
import type { Host } from "../../kernel/host.ts";
import { clean, plural } from "../../kernel/text.ts";
import { searchCards } from "../../operations/search.ts";
import { type Answer, DrwnCommand } from "../command.ts";
import { renderTable } from "../render/table.ts";

export default class Search extends DrwnCommand {
  static override aliases = ["card:search"];
  static override description = "Find cards by words in their name, description and keywords.";
  static override examples = ["<%= config.bin %> <%= command.id %> git push"];
  static override strict = false;
  static override args = { text: Args.string({ description: "words, each of which must be found", required: true }) };

  protected async answer(host: Host): Promise<Answer> {
    const { argv } = await this.parse(Search);
    const found = await searchCards(host, argv.map(String).join(" "));
    const { cards, registry } = found;
    return {
      json: found,
      print: ({ out, talk }) => {
        const rows = cards.map(({ name, version, description }) => [name, version, clean(description, 80)]);
        for (const line of renderTable(["card", "version", "says of itself"], rows)) out(line);
        talk(`${plural(cards.length, "card")} in ${clean(registry)}`);
      },
    };
  }
}
