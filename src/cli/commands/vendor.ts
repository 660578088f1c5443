import * as Flags from "@oclif/core/flags";
import { clean, plural } from "../../kernel/text.ts";
import { vendorCards } from "../../operations/project/vendor.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";

export default class Vendor extends DrwnCommand {
  static override hidden = true;
  static override met = "`drwn help install` names it.";
  static override description = `Put the locked cards' tarballs into the project.

Commit .agents/drwn/vendor, and \`drwn install\` works without a registry and without a network. It compares the tarballs
with card.lock.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --dry-run"];
  static override flags = {
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Vendor);
    const vendored = await vendorCards(host, { dryRun: flags["dry-run"] });
    const { written, removed, kept, dryRun } = vendored;
    return {
      json: vendored,
      print: ({ out }) => {
        for (const file of written) out(`${dryRun ? "would write" : "Wrote"} ${clean(file, 2000)}`);
        for (const file of removed) out(`${dryRun ? "would remove" : "Removed"} ${clean(file, 2000)}`);
        if (written.length === 0 && removed.length === 0) out("Already up to date");
        else if (!dryRun) out(`${plural(written.length + kept, "card")} vendored. Next: commit .agents/drwn/vendor`);
      },
    };
  }
}
