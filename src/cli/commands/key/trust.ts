import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { trustKey, trustSigner } from "../../../operations/machine/keys.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class KeyTrust extends DrwnCommand {
  static override description = `Enter a key that its publisher told you.

For a scope: its cards may be signed with this key, and one that is new here must be. For a card: this key replaces the
pinned one. It lets cards in; drwn still asks you what their hooks may do.

With --consents it is a different trust: \`drwn trust accept --signed\` then accepts consents to hooks of these cards that are committed in a
project and signed with this key.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> ed25519:… @acme",
    "<%= config.bin %> <%= command.id %> ed25519:… @acme/backend",
    "<%= config.bin %> <%= command.id %> ed25519:… @acme --consents",
  ];
  static override args = {
    key: Args.string({ description: "the key, as `drwn key list <scope>` prints it", required: true }),
    for: Args.string({ description: "@scope or @scope/name", required: true }),
  };

  static override flags = {
    consents: Flags.boolean({ description: "Accept signed consents to hooks of these cards." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(KeyTrust);
    if (flags.consents) {
      const taken = await trustSigner(host, args);
      return { json: taken, print: ({ out }) => out(`Consents to ${taken.for} may be signed with ${taken.signer}`) };
    }
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
