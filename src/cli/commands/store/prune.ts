import * as Flags from "@oclif/core/flags";
import { plural } from "../../../kernel/text.ts";
import { pruneStore } from "../../../operations/machine/store.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class StorePrune extends DrwnCommand {
  static override hidden = true;
  static override met = "For the disk of this machine.";
  static override description = `Remove stored cards that nothing on this machine names any more.

Keeps every card that a consent names, in any project, or the card.lock of this project or of one with consents, and whatever was
stored within the last hour. drwn doesn't know projects without consents: cards that only their card.lock names go, and
\`drwn install\` there fetches them again.`;
  static override examples = ["<%= config.bin %> <%= command.id %> --dry-run", "<%= config.bin %> <%= command.id %>"];
  static override flags = {
    "dry-run": Flags.boolean({ default: false, description: "Print what would go, and remove nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(StorePrune);
    const pruned = pruneStore(host, { dryRun: flags["dry-run"] });
    const { dryRun, removed, bytes, kept } = pruned;
    return {
      json: pruned,
      print: ({ out }) => {
        for (const tree of removed) out(`${dryRun ? "would remove" : "removed"} ${tree}`);
        const did = dryRun ? "would go" : "removed";
        out(`${plural(removed.length, "tree")} with ${bytes} bytes ${did}, ${kept} kept`);
      },
    };
  }
}
