import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { deprecateCard } from "../../../operations/author/annotate.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderAnnotation } from "../../render/card.ts";

export default class CardDeprecate extends DrwnCommand {
  static override completes = { spec: "published-card" } as const;
  static override description = `Say that published versions should not be used any more, and why.

They can still be added; drwn then shows the message. Without a range it deprecates every version of the card.
--undo takes the deprecation back.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> @me/backend "use @me/guards instead"',
    '<%= config.bin %> <%= command.id %> "@me/backend@<1.2.0" "1.2.0 fixes the matcher"',
    "<%= config.bin %> <%= command.id %> @me/backend --undo",
  ];
  static override args = {
    spec: Args.string({ description: "@scope/name or @scope/name@range", required: true }),
    message: Args.string({ description: "one line: what to use instead" }),
  };
  static override flags = { undo: Flags.boolean({ description: "Take the deprecation back." }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardDeprecate);
    const { spec, message } = args;
    if (flags.undo) return renderAnnotation(await deprecateCard(host, spec, null), "No longer deprecated:");
    if (message === undefined) this.error("say in one line what to use instead, or give --undo");
    return renderAnnotation(await deprecateCard(host, spec, message), "Deprecated");
  }
}
