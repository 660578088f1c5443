import * as Args from "@oclif/core/args";
import { clean } from "../../../../kernel/text.ts";
import { listSources, showSource } from "../../../../operations/author/inspect-source.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../../command.ts";
import { describeGiven, describeServerRun, renderHook } from "../../../render/hook.ts";
import { renderTable } from "../../../render/table.ts";

export default class SourceShow extends DrwnCommand {
  static override completes = { card: "source" } as const;
  static override description = `Show a card source: its manifest, and its hooks as the committed index describes them.

Without a source, lists those that this machine knows by name.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> . --json",
    "<%= config.bin %> <%= command.id %>",
  ];
  static override args = { card: Args.string({ description: "name or folder of the source" }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(SourceShow);
    if (args.card === undefined) return answerSources(host);
    const shown = showSource(host, args.card);
    return {
      json: shown,
      print: ({ out, style }) => {
        out(style.bold(`${clean(shown.manifest.name)}@${clean(shown.manifest.version)}`));
        out(`  folder      ${clean(shown.path, 2000)}`);
        if (shown.manifest.description) out(`  description ${clean(shown.manifest.description)}`);
        for (const hook of shown.hooks)
          out(`  hook        ${"kind" in hook ? renderHook(hook) : `${clean(hook.name)}: not indexed yet`}`);
        for (const skill of shown.manifest.skills?.include ?? []) out(`  skill       ${clean(skill)}`);
        for (const server of shown.servers) {
          out(`  MCP server  ${describeServerRun(server)}`);
          for (const line of describeGiven(server)) out(`              ${line}`);
        }
      },
    };
  }
}

function answerSources(host: Host): CommandAnswer {
  const sources = listSources(host);
  return {
    json: { sources },
    print: ({ out, talk, room }) => {
      if (sources.length === 0) talk("No card sources yet. Next: drwn card new <@scope/name>");
      const rows = sources.map(({ name, version, path }) => [name, version ?? "unreadable", path]);
      for (const line of renderTable(["card", "version", "folder"], rows, room)) out(line);
    },
  };
}
