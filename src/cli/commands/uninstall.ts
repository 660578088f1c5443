import * as Flags from "@oclif/core/flags";
import { uninstall, uninstallGlobal } from "../../operations/project/uninstall.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { renderUninstalled } from "../render/write.ts";
import { EXIT } from "../terminal/console.ts";

export default class Uninstall extends ManagedCommand {
  static override description = `Take drwn out of every agent and project on this machine.

Removes its entries from the agents' settings, and the skills and MCP servers that it wrote; others' entries stay byte for byte.
No hook policy runs from then on. Consents and journals stay, so that \`drwn write\` puts a project's guards back, unless you
ask for --purge. The files of a repository stay. drwn finds a project that was moved if you run this in its new place. Exits
with 3 if something is left that you have to remove by hand. Only a person may run this.

With --global only what holds in every folder goes, and the guards of projects stay.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> --dry-run",
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --purge",
  ];
  static override flags = {
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
    purge: Flags.boolean({
      default: false,
      description: "Also remove consents, journals and stored cards. Keys, sources and published cards stay.",
    }),
    shared: Flags.boolean({
      default: false,
      description: "Also take out the entries that projects commit for everybody.",
      exclusive: ["global", "system"],
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Uninstall);
    const { purge, shared } = flags;
    const dryRun = flags["dry-run"];
    const result = await (host.scope === undefined ? uninstall : uninstallGlobal)(host, { dryRun, purge, shared });
    return {
      json: { ...result, dryRun },
      print: (console) => renderUninstalled(result, console, { isDryRun: dryRun }),
      exitCode: result.remaining.some(({ kind }) => kind === "entry") ? EXIT.found : EXIT.done,
    };
  }
}
