import * as Args from "@oclif/core/args";
import type { Host } from "../../../../kernel/host.ts";
import { clean } from "../../../../kernel/text.ts";
import { showSource } from "../../../../operations/inspect-source.ts";
import { type Answer, DrwnCommand } from "../../../command.ts";
import { describeHook } from "../../../render/hook.ts";
import { describeGiven, describeServerRun } from "../../../render/servers.ts";

export default class SourceShow extends DrwnCommand {
  static override description =
    "Show a card source: its manifest, and its hooks as the committed index describes them.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> . --json",
  ];
  static override args = { card: Args.string({ description: "name or folder of the source", required: true }) };

  protected async answer(host: Host): Promise<Answer> {
    const { args } = await this.parse(SourceShow);
    const shown = showSource(host, args.card);
    return {
      json: shown,
      print: ({ out, style }) => {
        out(style.bold(`${clean(shown.manifest.name)}@${clean(shown.manifest.version)}`));
        out(`  folder      ${clean(shown.path, 2000)}`);
        if (shown.manifest.description) out(`  description ${clean(shown.manifest.description)}`);
        for (const hook of shown.hooks)
          out(`  hook        ${"kind" in hook ? describeHook(hook) : `${clean(hook.name)}: not indexed yet`}`);
        for (const skill of shown.manifest.skills?.include ?? []) out(`  skill       ${clean(skill)}`);
        for (const server of shown.servers) {
          out(`  MCP server  ${describeServerRun(server)}`);
          for (const line of describeGiven(server)) out(`              ${line}`);
        }
      },
    };
  }
}
