import { clean, plural } from "../../../kernel/text.ts";
import { verifyStore } from "../../../operations/machine/store.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { EXIT } from "../../terminal/exit.ts";

export default class StoreVerify extends DrwnCommand {
  static override hidden = true;
  static override met = "For the disk of this machine.";
  static override description = `Recompute the digest of everything in the store.

Changes nothing; \`drwn install\` mends what a project needs. Exits with 3 if something is damaged.`;
  static override examples = ["<%= config.bin %> <%= command.id %>"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    await this.parse(StoreVerify);
    const verified = verifyStore(host);
    const { trees, damaged } = verified;
    return {
      json: verified,
      print: ({ out, style }) => {
        for (const { tree, message } of damaged) out(`${style.bad("damaged")} ${tree}: ${clean(message, 1000)}`);
        if (damaged.length > 0) out(`${plural(damaged.length, "tree")} of ${trees} damaged. Next: drwn install`);
        else out(`${plural(trees, "tree")} in order`);
      },
      exitCode: damaged.length > 0 ? EXIT.found : EXIT.done,
    };
  }
}
