import * as Flags from "@oclif/core/flags";
import { plural } from "../../kernel/text.ts";
import { installCards } from "../../operations/project/install.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";
import { warnOfDeprecation } from "../render/deprecation.ts";

export default class Install extends DrwnCommand {
  static override aliases = ["card:install"];
  static override description = `Fetch and verify the cards of this project.

Brings the store in step with card.lock, and card.lock in step with config.json. Runs nothing in a card. \`drwn vendor\`
puts the cards' tarballs into the project for you to commit: installing then needs neither a registry nor a network.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --frozen"];
  static override flags = {
    frozen: Flags.boolean({ description: "Reproduce card.lock exactly, or fail." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Install);
    const installed = await installCards(host, flags);
    return {
      json: installed,
      print: (console) => {
        const { out } = console;
        warnOfDeprecation(installed.cards, console);
        const fetched = installed.cards.filter((card) => card.fetched);
        for (const { name, version } of fetched) out(`Fetched ${name}@${version}`);
        if (installed.lockChanged) out("Updated card.lock");
        if (fetched.length === 0 && !installed.lockChanged) out("Already up to date");
        else out(`${plural(installed.cards.length, "card")} installed. Next: drwn write`);
      },
    };
  }
}
