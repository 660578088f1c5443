import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { editSource } from "../../../../operations/author/edit-source.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../../command.ts";
import { answerEdit } from "../../../render/card.ts";

export default class SourceRemove extends DrwnCommand {
  static override completes = { card: "source", name: "part-of-source" } as const;
  static override description = "Remove a skill or an MCP server from a card source.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> skill @me/backend review-style --keep-files",
    "<%= config.bin %> <%= command.id %> mcp @me/backend docs",
  ];
  static override args = {
    kind: Args.string({ description: "what is removed", options: ["skill", "mcp"], required: true }),
    card: Args.string({ description: "name or folder of the source", required: true }),
    name: Args.string({ description: "its name in the card", required: true }),
  };
  static override flags = {
    "keep-files": Flags.boolean({ description: "Take a skill out of card.json only, and leave its files." }),
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(SourceRemove);
    const { card, kind, name } = args;
    const { "keep-files": keepFiles, "dry-run": dryRun } = flags;
    if (kind === "mcp" && keepFiles) this.error("an MCP server has no files to keep");
    const what = kind === "skill" ? "skill" : "server";
    const edit = editSource(host, card, { remove: what, name, keepFiles, dryRun });
    const said = kind === "mcp" ? "MCP server" : kind;
    return answerEdit(edit, { [what]: name }, { done: `Removed ${said}`, would: `Would remove ${said}` });
  }
}
