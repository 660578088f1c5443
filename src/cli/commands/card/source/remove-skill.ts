import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Host } from "../../../../kernel/host.ts";
import { editSource } from "../../../../operations/edit-source.ts";
import { type Answer, DrwnCommand } from "../../../command.ts";
import { answerEdit } from "../../../render/edit.ts";

export default class SourceRemoveSkill extends DrwnCommand {
  static override description = "Remove a skill from a card source.";
  static override examples = ["<%= config.bin %> <%= command.id %> @me/backend review-style"];
  static override args = {
    card: Args.string({ description: "name or folder of the source", required: true }),
    skill: Args.string({ description: "name of the skill", required: true }),
  };
  static override flags = {
    "keep-files": Flags.boolean({ description: "Take it out of card.json only, and leave its files." }),
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { args, flags } = await this.parse(SourceRemoveSkill);
    const edit = editSource(host, args.card, {
      remove: "skill",
      name: args.skill,
      keepFiles: flags["keep-files"],
      dryRun: flags["dry-run"],
    });
    return answerEdit(edit, { skill: args.skill }, { done: "Removed skill", would: "Would remove skill" });
  }
}
