import * as Args from "@oclif/core/args";
import { setScope } from "../../../operations/machine/registry-settings.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class RegistrySetScope extends DrwnCommand {
  static override hidden = true;
  static override met = "`drwn registry add` names it.";
  static override completes = { scope: "scope", registry: "registry" } as const;
  static override description = `Give a scope to a registry.

Its cards come from there and from nowhere else: if that registry doesn't have a card, drwn asks no other.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @acme team",
    "<%= config.bin %> <%= command.id %> @me default",
  ];
  static override args = {
    scope: Args.string({ description: "@scope", required: true }),
    registry: Args.string({
      description: "name of the registry; `default` is the folder on this machine",
      required: true,
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(RegistrySetScope);
    const set = await setScope(host, args.scope, args.registry);
    return { json: set, print: ({ out }) => out(`Cards of ${set.scope} come from ${set.registry}`) };
  }
}
