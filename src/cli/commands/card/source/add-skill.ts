import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Host } from "../../../../kernel/host.ts";
import { editSource } from "../../../../operations/edit-source.ts";
import { type Answer, DrwnCommand } from "../../../command.ts";
import { answerEdit } from "../../../render/edit.ts";

export default class SourceAddSkill extends DrwnCommand {
  static override description = "Add a skill to a card source: a stub in skills/<skill>/SKILL.md, listed in card.json.";
  static override examples = ["<%= config.bin %> <%= command.id %> @me/backend review-style"];
  static override args = {
    card: Args.string({ description: "name or folder of the source", required: true }),
    skill: Args.string({ description: "name of the skill", required: true }),
  };
  static override flags = {
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { args, flags } = await this.parse(SourceAddSkill);
    const edit = editSource(host, args.card, {
      add: "skill",
      name: args.skill,
      dryRun: flags["dry-run"],
    });
    return answerEdit(edit, { skill: args.skill }, { done: "Added skill", would: "Would add skill" });
  }
}
