import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { editSource } from "../../../../operations/author/edit-source.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../../command.ts";
import { answerEdit } from "../../../render/card.ts";

export default class SourceAdd extends DrwnCommand {
  static override completes = { card: "source" } as const;
  static override description = `Add a skill or an MCP server to a card source.

A skill starts as a stub in skills/<name>/SKILL.md; \`drwn card source add-hook\` adds a hook. For an MCP server, give --command if the agent starts it, with its arguments after \`--\`, or --url
if it is reached over HTTP.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> skill @me/backend review-style",
    "<%= config.bin %> <%= command.id %> mcp @me/backend docs --command node -- server.js --port 0",
    "<%= config.bin %> <%= command.id %> mcp @me/backend search --url https://mcp.example.com",
  ];
  static override strict = false;
  static override args = {
    kind: Args.string({ description: "what is added", options: ["skill", "mcp"], required: true }),
    card: Args.string({ description: "name or folder of the source", required: true }),
    name: Args.string({ description: "its name in the card", required: true }),
  };
  static override flags = {
    command: Flags.string({ description: "Program that the agent starts as the MCP server." }),
    url: Flags.string({ description: "Address of an MCP server that runs elsewhere.", exclusive: ["command"] }),
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, argv, flags } = await this.parse(SourceAdd);
    const { card, kind, name } = args;
    const { command, url, "dry-run": dryRun } = flags;
    const words = argv.slice(3).map(String);
    if (kind !== "mcp" && (command ?? url ?? words[0]) !== undefined) {
      this.error(`--command, --url and further arguments are for an MCP server`);
    }
    if (kind === "skill") {
      const edit = editSource(host, card, { add: "skill", name, dryRun });
      return answerEdit(edit, { skill: name }, { done: "Added skill", would: "Would add skill" });
    }
    if (command === undefined && url === undefined) this.error("give the server's --command or --url");
    const edit = editSource(host, card, { add: "server", name, server: toServer({ command, url, words }), dryRun });
    return answerEdit(edit, { server: name }, { done: "Added MCP server", would: "Would add MCP server" });
  }
}

interface ServerArguments {
  command: string | undefined;
  url: string | undefined;
  words: string[];
}

function toServer({ command, url, words }: ServerArguments) {
  if (command === undefined) return { type: "http" as const, url: url ?? "" };
  return { command, ...(words.length > 0 ? { args: words } : {}) };
}
