import * as Args from "@oclif/core/args";
import { removeRegistry } from "../../../operations/machine/registry-settings.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class RegistryRemove extends DrwnCommand {
  static override hidden = true;
  static override completes = { name: "registry" } as const;
  static override description = "Forget a registry. Its cards stay where they are.";
  static override examples = ["<%= config.bin %> <%= command.id %> team"];
  static override args = { name: Args.string({ description: "name of the registry", required: true }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(RegistryRemove);
    const removed = await removeRegistry(host, args.name);
    return { json: removed, print: ({ out }) => out(`Removed ${removed.removed}`) };
  }
}
