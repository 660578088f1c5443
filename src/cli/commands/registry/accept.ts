import * as Args from "@oclif/core/args";
import { acceptVersions } from "../../../operations/machine/registry-settings.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class RegistryAccept extends DrwnCommand {
  static override hidden = true;
  static override completes = { card: "installed-card" } as const;
  static override description = `Accept that a registry has fewer versions of a card than it had.

drwn remembers the highest version that a registry has listed, and refuses an older list. Use this when a version was
unpublished and you know why.`;
  static override examples = ["<%= config.bin %> <%= command.id %> @team/guards"];
  static override args = { card: Args.string({ description: "@scope/name", required: true }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(RegistryAccept);
    const accepted = await acceptVersions(host, args.card);
    return {
      json: accepted,
      print: ({ out }) => out(`Accepted the versions of ${accepted.card} that ${accepted.registry} lists now`),
    };
  }
}
