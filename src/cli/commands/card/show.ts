import * as Args from "@oclif/core/args";
import type { Host } from "../../../kernel/host.ts";
import { clean, plural } from "../../../kernel/text.ts";
import { type ShownCard, showCard } from "../../../operations/show-card.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import type { Console } from "../../console.ts";
import { warnOfDeprecation } from "../../render/deprecation.ts";
import { renderEndorsement } from "../../render/endorsement.ts";
import { describeHook, describeLeaks } from "../../render/hook.ts";
import { describeGiven, describeServerRun } from "../../render/servers.ts";

export default class CardShow extends DrwnCommand {
  static override description = "Show a published card: what is in it and what its hooks are. Nothing of it is run.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> @me/backend@1.0.0",
  ];
  static override args = {
    spec: Args.string({
      description: "@scope/name, @scope/name@range, a git address, a tarball or a folder",
      required: true,
    }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { args } = await this.parse(CardShow);
    const shown = await showCard(host, args.spec);
    return {
      json: shown,
      print: (console) => {
        warnOfDeprecation([shown], console);
        printCard(shown, console);
      },
    };
  }
}

function printCard(
  { name, version, versions, publishedAt, publisher, endorsement, manifest, hooks, servers, files, tree }: ShownCard,
  { out, style }: Console,
): void {
  out(style.bold(`${clean(name)}@${version}`));
  if (manifest.description) out(`  ${clean(manifest.description)}`);
  out(`  published   ${clean(publishedAt)}`);
  out(`  publisher   ${publisher === null ? "not signed" : clean(publisher)}`);
  for (const line of renderEndorsement(endorsement, 11)) out(line);
  out(`  versions    ${versions.join(", ")}`);
  if (manifest.license) out(`  license     ${clean(manifest.license)}`);
  for (const hook of hooks) {
    out(`  hook        ${describeHook(hook)}${hook.summary === "" ? "" : ` “${clean(hook.summary, 120)}”`}`);
    for (const leak of describeLeaks(hook.capabilities)) out(`              ${leak}`);
  }
  for (const skill of manifest.skills?.include ?? []) out(`  skill       ${clean(skill)}`);
  for (const server of servers) {
    out(`  MCP server  ${describeServerRun(server)}`);
    for (const line of describeGiven(server)) out(`              ${line}`);
  }
  out(
    `  contents    ${plural(files.length, "file")}, ${files.reduce((bytes, { size }) => bytes + size, 0)} bytes, ${clean(tree)}`,
  );
}
