import * as Args from "@oclif/core/args";
import { advise, drwn } from "../../kernel/advice.ts";
import { removeCard } from "../../operations/project/remove.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";

export default class Remove extends ManagedCommand {
  static override completes = { name: "installed-card" } as const;
  static override aliases = ["card:remove"];
  static override description = `Take a card out of the project.

Its hook policies are silent from the next tool call on; its skills and MCP servers go with the next \`drwn write\`.`;
  static override examples = ["<%= config.bin %> <%= command.id %> @me/backend"];
  static override args = { name: Args.string({ description: "@scope/name", required: true }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(Remove);
    const removed = await removeCard(host, args.name);
    return {
      json: removed,
      print: ({ out }) => {
        out(`Removed ${removed.card}${removed.revoked ? "; its hook policies are silent now" : ""}`);
        out(advise`Next: ${drwn("write")}`);
      },
    };
  }
}
