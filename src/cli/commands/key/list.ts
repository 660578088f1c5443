import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { exportKey, listKeys } from "../../../operations/machine/keys.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { answerKey } from "../../render/card.ts";
import { renderTable } from "../../render/table.ts";

export default class KeyList extends DrwnCommand {
  static override completes = { scope: "scope" } as const;
  static override description = `List your own keys, and the publishers' keys that this machine knows.

With a scope of yours, prints only its public key, for others to enter with \`drwn key trust\`. With --secret, prints the key
file itself, which \`card publish --key\` takes, for a backup or a build machine.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> @me",
    "<%= config.bin %> <%= command.id %> @me --secret > me.key",
  ];
  static override args = { scope: Args.string({ description: "@scope: print its public key alone" }) };
  static override flags = { secret: Flags.boolean({ description: "Print the secret key file of the scope." }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(KeyList);
    if (args.scope !== undefined) return answerKey(exportKey(host, { scope: args.scope, secret: flags.secret }));
    if (flags.secret) this.error("--secret is about one scope: name it");
    const keys = listKeys(host);
    const rows = [
      ...keys.own.map(({ scope, publisher }) => [scope, publisher, "yours"]),
      ...keys.scopes.flatMap(({ scope, publishers }) => publishers.map((one) => [scope, one, "entered by you"])),
      ...keys.cards.map(({ card, publisher }) => [card, publisher, "pinned"]),
    ];
    return {
      json: keys,
      print: ({ out, talk, room }) => {
        if (rows.length === 0) talk("No keys yet. Next: drwn key new <@scope>");
        for (const line of renderTable(["for", "key", ""], rows, room)) out(line);
      },
    };
  }
}
