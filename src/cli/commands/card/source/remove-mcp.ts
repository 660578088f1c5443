import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Host } from "../../../../kernel/host.ts";
import { editSource } from "../../../../operations/edit-source.ts";
import { type Answer, DrwnCommand } from "../../../command.ts";
import { answerEdit } from "../../../render/edit.ts";

export default class SourceRemoveMcp extends DrwnCommand {
  static override description = "Remove an MCP server from a card source.";
  static override examples = ["<%= config.bin %> <%= command.id %> @me/backend docs"];
  static override args = {
    card: Args.string({ description: "name or folder of the source", required: true }),
    server: Args.string({ description: "name of the server", required: true }),
  };
  static override flags = {
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { args, flags } = await this.parse(SourceRemoveMcp);
    const edit = editSource(host, args.card, {
      remove: "server",
      name: args.server,
      keepFiles: false,
      dryRun: flags["dry-run"],
    });
    return answerEdit(edit, { server: args.server }, { done: "Removed MCP server", would: "Would remove MCP server" });
  }
}
