import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { editSource } from "../../../../operations/author/edit-source.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../../command.ts";
import { answerEdit } from "../../../render/card.ts";

export default class SourceRemoveHook extends DrwnCommand {
  static override completes = { card: "source", hook: "hook-of-source" } as const;
  static override description = "Remove a hook policy from a card source.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend audit-tool-calls",
    "<%= config.bin %> <%= command.id %> @me/backend audit-tool-calls --keep-files",
  ];
  static override args = {
    card: Args.string({ description: "name or folder of the source", required: true }),
    hook: Args.string({ description: "name of the hook", required: true }),
  };
  static override flags = {
    "keep-files": Flags.boolean({ description: "Take it out of card.json only, and leave its files." }),
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(SourceRemoveHook);
    const edit = editSource(host, args.card, {
      remove: "hook",
      name: args.hook,
      keepFiles: flags["keep-files"],
      dryRun: flags["dry-run"],
    });
    return answerEdit(edit, { hook: args.hook }, { done: "Removed hook", would: "Would remove hook" });
  }
}
