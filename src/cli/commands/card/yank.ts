import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { yankCard } from "../../../operations/author/annotate.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderAnnotation } from "../../render/card.ts";

export default class CardYank extends DrwnCommand {
  static override completes = { spec: "published-card" } as const;
  static override description = `Keep published versions from everybody who hasn't locked them.

Nothing is deleted: projects that have a yanked version in card.lock still install it, and \`drwn outdated\` tells them.
--undo offers the versions again.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend@1.0.3",
    "<%= config.bin %> <%= command.id %> @me/backend@1.0.3 --undo",
  ];
  static override args = { spec: Args.string({ description: "@scope/name@version or a range", required: true }) };
  static override flags = { undo: Flags.boolean({ description: "Offer the yanked versions again." }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardYank);
    return renderAnnotation(await yankCard(host, args.spec, !flags.undo), flags.undo ? "Offered again:" : "Yanked");
  }
}
