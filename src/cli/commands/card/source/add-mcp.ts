import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Host } from "../../../../kernel/host.ts";
import { editSource } from "../../../../operations/edit-source.ts";
import { type Answer, DrwnCommand } from "../../../command.ts";
import { answerEdit } from "../../../render/edit.ts";

export default class SourceAddMcp extends DrwnCommand {
  static override description = `Add an MCP server to a card source.

Give --command for a server that the agent starts, with its arguments behind \`--\`, or --url for one that is reached over HTTP.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend docs --command node -- server.js --port 0",
    "<%= config.bin %> <%= command.id %> @me/backend search --url https://mcp.example.com",
  ];
  static override strict = false;
  static override args = {
    card: Args.string({ description: "name or folder of the source", required: true }),
    server: Args.string({ description: "name of the server", required: true }),
  };
  static override flags = {
    command: Flags.string({ description: "Program that the agent starts.", exactlyOne: ["command", "url"] }),
    url: Flags.string({ description: "Address of a server that runs elsewhere." }),
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { args, argv, flags } = await this.parse(SourceAddMcp);
    const words = argv.slice(2).map(String);
    const server =
      flags.command === undefined
        ? { type: "http" as const, url: flags.url ?? "" }
        : { command: flags.command, ...(words.length > 0 ? { args: words } : {}) };
    const edit = editSource(host, args.card, { add: "server", name: args.server, server, dryRun: flags["dry-run"] });
    return answerEdit(edit, { server: args.server }, { done: "Added MCP server", would: "Would add MCP server" });
  }
}
