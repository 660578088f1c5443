import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean } from "../../../kernel/text.ts";
import { newCard } from "../../../operations/author/edit-source.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class CardNew extends DrwnCommand {
  static override description = `Scaffold a card source.

Without --into it is below DRWN_HOME. Either way drwn finds it by its name, from any folder on this machine.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> @me/backend --into ~/cards",
    "<%= config.bin %> <%= command.id %> @me/backend --into .",
    "<%= config.bin %> <%= command.id %> @me/git --from @drwn/git",
  ];
  static override args = { name: Args.string({ description: "@scope/name", required: true }) };
  static override flags = {
    from: Flags.string({ description: "Begin with a copy of a card that comes with drwn.", helpValue: "@drwn/NAME" }),
    into: Flags.string({
      description: "Make the source a folder inside this one; `.` is the current folder itself.",
      helpValue: "DIR",
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardNew);
    const made = await newCard(host, {
      name: args.name,
      ...(flags.into === undefined ? {} : { into: flags.into }),
      ...(flags.from === undefined ? {} : { from: flags.from }),
    });
    return {
      json: made,
      print: ({ out }) => {
        out(`Made ${made.card} in ${clean(made.path)}`);
        const next = flags.from === undefined ? `add-hook ${made.card} <hook>` : `doctor ${made.card}`;
        out(`Next: drwn card source ${next}`);
      },
    };
  }
}
