import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean, plural } from "../../kernel/text.ts";
import { searchCards } from "../../operations/machine/search.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";
import { renderTable } from "../render/table.ts";

export default class Search extends DrwnCommand {
  static override completes = { registry: "registry" } as const;
  static override aliases = ["card:search"];
  static override description = `Find cards by words in their name, description and keywords.

Searches one registry: the named one, else that of the card that the text names, else the folder below DRWN_HOME and the cards that come with drwn.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> git push",
    "<%= config.bin %> <%= command.id %> guards --registry team",
  ];
  static override strict = false;
  static override args = { text: Args.string({ description: "words; each must be found; without any: all cards" }) };
  static override flags = {
    registry: Flags.string({ description: "Name of the registry to search.", helpValue: "NAME" }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { argv, flags } = await this.parse(Search);
    const found = await searchCards(host, {
      text: argv.map(String).join(" "),
      registry: flags.registry ?? null,
    });
    const { cards, own, registry, others } = found;
    return {
      json: { registry, cards },
      print: ({ out, talk, room }) => {
        const rows = cards.map(({ name, version, description }) => [name, version, description]);
        for (const line of renderTable(["card", "version", "says of itself"], rows, room)) out(line);
        const added = own === 0 ? "" : `, ${own} ${own === 1 ? "comes" : "come"} with drwn`;
        talk(`${plural(cards.length - own, "card")} in ${clean(registry)}${added}`);
        if (others.length > 0)
          talk(`not searched: ${clean(others.join(", "))}; \`--registry NAME\` searches one of them`);
      },
    };
  }
}
