import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { exportKey } from "../../../operations/machine/keys.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { answerKey } from "../../render/key.ts";

export default class KeyExport extends DrwnCommand {
  static override hidden = true;
  static override met = "`drwn key list <scope>` prints the same.";
  static override completes = { scope: "scope" } as const;
  static override description = `Print the public key of a scope, for others to enter with \`drwn key trust\`.

With --secret it prints the key file itself, which \`card publish --key\` takes, for a backup or a build machine.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me",
    "<%= config.bin %> <%= command.id %> @me --secret > me.key",
  ];
  static override args = { scope: Args.string({ description: "@scope", required: true }) };
  static override flags = { secret: Flags.boolean({ description: "Print the secret key file." }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(KeyExport);
    return answerKey(exportKey(host, { scope: args.scope, secret: flags.secret }));
  }
}
