import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { packCard } from "../../../operations/author/publish.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderPacked } from "../../render/card.ts";

export default class CardPack extends DrwnCommand {
  static override completes = { source: "source" } as const;
  static override hidden = true;
  static override description = `Pack a card source into a tarball in the current folder.

Compiles and indexes its hooks, and packs only what card.json names. \`npm publish\` takes the tarball, too. It is
signed if the card's scope has a key (\`drwn key new\`), and never inside an agent's tool call.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> .",
  ];
  static override args = { source: Args.string({ description: "name or folder of the source", default: "." }) };

  static override flags = {
    key: Flags.string({
      description: "Sign with this key file. [default: the key of the card's scope]",
      helpValue: "FILE",
    }),
    "no-sign": Flags.boolean({ default: false, description: "Leave it unsigned.", exclusive: ["key"] }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardPack);
    const packed = await packCard(host, {
      source: args.source,
      key: flags.key ?? null,
      isSigned: !flags["no-sign"],
    });
    return {
      json: packed,
      print: (console) => {
        renderPacked(packed, console);
        console.out(`Packed ${packed.tarball}`);
      },
    };
  }
}
