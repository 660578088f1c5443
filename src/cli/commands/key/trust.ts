import * as Args from "@oclif/core/args";
import { trustKey } from "../../../operations/machine/keys.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class KeyTrust extends DrwnCommand {
  static override description = `Enter a key that its publisher told you.

For a scope: its cards may be signed with this key, and one that is new here must be. For a card: this key replaces the
pinned one. It lets cards in; drwn still asks you what their hooks may do.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> ed25519:… @acme",
    "<%= config.bin %> <%= command.id %> ed25519:… @acme/backend",
  ];
  static override args = {
    key: Args.string({ description: "the key, as `drwn key list <scope>` prints it", required: true }),
    for: Args.string({ description: "@scope or @scope/name", required: true }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(KeyTrust);
    const trusted = await trustKey(host, args);
    return {
      json: trusted,
      print: ({ out }) => {
        out(`${trusted.for} may be signed with ${trusted.publisher}`);
        if (trusted.replaces !== null) out(`It replaces ${trusted.replaces}`);
      },
    };
  }
}
