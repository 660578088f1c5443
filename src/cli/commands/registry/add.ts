import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean } from "../../../kernel/text.ts";
import { addRegistry, setCardScopes } from "../../../operations/machine/registry-settings.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class RegistryAdd extends DrwnCommand {
  static override completes = { name: "registry", scope: "scope" } as const;
  static override description =
    `Name a registry that you publish to or take cards from, and say which scopes belong to it.

The cards of such a scope come from there and from nowhere else: if that registry doesn't have a card, drwn asks no other. This is your own
setting, kept below DRWN_HOME: no project can change it. Credentials stay in your .npmrc. For a registry that has a name already, give
--scope without a location; \`default\` is the folder on this machine.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> team https://npm.example.com/ --scope @acme",
    "<%= config.bin %> <%= command.id %> shared /srv/cards",
    "<%= config.bin %> <%= command.id %> web https://cards.example.com/ --static",
    "<%= config.bin %> <%= command.id %> default --scope @me",
  ];
  static override args = {
    name: Args.string({ description: "what you call it", required: true }),
    location: Args.string({ description: "URL of an npm registry, or a folder" }),
  };
  static override flags = {
    scope: Flags.string({
      description: "Cards of this scope come from there; may be given several times.",
      helpValue: "@SCOPE",
      multiple: true,
    }),
    static: Flags.boolean({ description: "The URL is a folder registry behind a plain web server." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(RegistryAdd);
    const { name, location } = args;
    const scopes = flags.scope ?? [];
    if (location === undefined) {
      if (scopes.length === 0 || flags.static)
        this.error("give the registry's location, or --scope for one that is known");
    }
    const added =
      location === undefined ? null : await addRegistry(host, { name, location, isStatic: flags.static, scopes });
    const set = added ?? (await setCardScopes(host, scopes, name));
    return {
      json: set,
      print: ({ out }) => {
        if (added !== null) out(`Added ${added.name}: ${clean(added.location, 2000)}`);
        for (const scope of scopes) out(`Cards of ${scope} come from ${name}`);
        if (scopes.length === 0) out(`Next: drwn registry add ${name} --scope <@scope>`);
      },
    };
  }
}
