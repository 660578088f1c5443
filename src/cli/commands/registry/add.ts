import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean } from "../../../kernel/text.ts";
import { addRegistry } from "../../../operations/machine/registry-settings.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class RegistryAdd extends DrwnCommand {
  static override description = `Name a registry that you publish to or take cards from.

This is your own setting, kept below DRWN_HOME: no project can change it. Credentials stay in your .npmrc.
Next, \`drwn registry set-scope\` says which scopes belong to it.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> team https://npm.example.com/",
    "<%= config.bin %> <%= command.id %> shared /srv/cards",
    "<%= config.bin %> <%= command.id %> web https://cards.example.com/ --static",
  ];
  static override args = {
    name: Args.string({ description: "what you call it", required: true }),
    location: Args.string({ description: "URL of an npm registry, or a folder", required: true }),
  };
  static override flags = {
    static: Flags.boolean({ description: "The URL is a folder registry behind a plain web server." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(RegistryAdd);
    const added = await addRegistry(host, { ...args, isStatic: flags.static });
    return {
      json: added,
      print: ({ out }) => {
        out(`Added ${added.name}: ${clean(added.location, 2000)}`);
        out(`Next: drwn registry set-scope <@scope> ${added.name}`);
      },
    };
  }
}
