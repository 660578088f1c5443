import type { Host } from "../../../../kernel/host.ts";
import { listSources } from "../../../../operations/inspect-source.ts";
import { type Answer, DrwnCommand } from "../../../command.ts";
import { renderTable } from "../../../render/table.ts";

export default class SourceList extends DrwnCommand {
  static override description = "List the card sources that this machine knows by name.";
  static override examples = ["<%= config.bin %> <%= command.id %>"];

  protected async answer(host: Host): Promise<Answer> {
    await this.parse(SourceList);
    const sources = listSources(host);
    return {
      json: { sources },
      print: ({ out, talk }) => {
        if (sources.length === 0) talk("No card sources yet. Next: drwn card new <@scope/name>");
        const rows = sources.map(({ name, version, path }) => [name, version ?? "unreadable", path]);
        for (const line of renderTable(["card", "version", "folder"], rows)) out(line);
      },
    };
  }
}
