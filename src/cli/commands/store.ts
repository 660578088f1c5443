import * as Flags from "@oclif/core/flags";
import { clean, plural } from "../../kernel/text.ts";
import { pruneStore, verifyStore } from "../../operations/machine/store.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";
import { EXIT } from "../terminal/console.ts";

export default class Store extends DrwnCommand {
  static override hidden = true;
  static override description = `Check the store: this machine's verified copies of cards.

Says where it is, and recomputes the digest of everything in it. Changes nothing; \`drwn install\` puts back what a project needs. Exits with 3 if something is
damaged.

--prune removes stored cards that nothing on this machine names any more.
It keeps every card that a consent names, in any project, or the card.lock of this project or of one with consents, and whatever was
stored within the last hour. drwn doesn't know projects without consents: cards that only their card.lock names go, and
\`drwn install\` there fetches them again.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --prune --dry-run",
    "<%= config.bin %> <%= command.id %> --prune",
  ];
  static override flags = {
    prune: Flags.boolean({ description: "Remove what nothing names." }),
    "dry-run": Flags.boolean({ description: "Print what would go, and remove nothing.", dependsOn: ["prune"] }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Store);
    return flags.prune ? answerPruned(host, flags["dry-run"] ?? false) : answerVerified(host);
  }
}

function answerVerified(host: Host): CommandAnswer {
  const verified = verifyStore(host);
  const { path, trees, damaged } = verified;
  return {
    json: verified,
    print: ({ out, style }) => {
      out(clean(path, 2000));
      for (const { tree, message } of damaged) out(`${style.bad("damaged")} ${tree}: ${clean(message, 1000)}`);
      if (damaged.length > 0) out(`${plural(damaged.length, "tree")} of ${trees} damaged. Next: drwn install`);
      else out(`${plural(trees, "tree")} in order`);
    },
    exitCode: damaged.length > 0 ? EXIT.found : EXIT.done,
  };
}

function answerPruned(host: Host, dryRun: boolean): CommandAnswer {
  const pruned = pruneStore(host, { dryRun });
  const { removed, bytes, kept } = pruned;
  return {
    json: pruned,
    print: ({ out }) => {
      for (const tree of removed) out(`${dryRun ? "would remove" : "removed"} ${tree}`);
      const did = dryRun ? "would go" : "removed";
      out(`${plural(removed.length, "tree")} with ${bytes} bytes ${did}, ${kept} kept`);
    },
  };
}
