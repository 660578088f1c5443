import * as Flags from "@oclif/core/flags";
import { plural } from "../../../kernel/text.ts";
import { pruneStore } from "../../../operations/machine/store.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class StorePrune extends DrwnCommand {
  static override hidden = true;
  static override met = "To look after the disk of this machine.";
  static override description = `Remove what nothing on this machine names any more.

Kept is all that a consent names, in any project, and all that is in the card.lock of a project with consents, or of this one.
A project in which nobody consented to a hook is not known: what only its card.lock names goes, and \`drwn install\` there
fetches it again. What was stored within the last hour stays.`;
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
