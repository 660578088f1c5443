import { clean } from "../../../kernel/text.ts";
import { listRegistries } from "../../../operations/machine/registry-settings.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderTable } from "../../render/table.ts";

export default class RegistryList extends DrwnCommand {
  static override description = "List your registries and the scopes that belong to them.";
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --json"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    await this.parse(RegistryList);
    const registries = listRegistries(host);
    const rows = registries.map(({ name, kind, location, scopes }) => [
      name,
      kind,
      clean(location, 2000),
      scopes.join(", "),
    ]);
    return {
      json: { registries },
      print: ({ out, room }) => {
        for (const line of renderTable(["name", "kind", "place", "scopes"], rows, room)) out(line);
      },
    };
  }
}
