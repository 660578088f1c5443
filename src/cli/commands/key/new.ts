import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean } from "../../../kernel/text.ts";
import { newKey } from "../../../operations/machine/keys.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class KeyNew extends DrwnCommand {
  static override completes = { scope: "scope" } as const;
  static override description = `Make the key that signs the cards of a scope.

Its secret part stays in one file below DRWN_HOME that only you can read; back it up. From here on \`card publish\` signs.
With --rotate, the old key signs one last statement, that the new one replaces it, and is deleted.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me",
    "<%= config.bin %> <%= command.id %> @me --rotate",
  ];
  static override args = { scope: Args.string({ description: "@scope", required: true }) };
  static override flags = { rotate: Flags.boolean({ description: "Replace the existing key with a new one." }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(KeyNew);
    const made = await newKey(host, { scope: args.scope, rotate: flags.rotate });
    return {
      json: made,
      print: ({ out }) => {
        out(`${made.scope} is signed with ${made.publisher}`);
        const former = made.replaces.at(-1);
        if (former !== undefined) out(`It replaces ${former}`);
        out(`Secret key, to back up: ${clean(made.file)}`);
      },
    };
  }
}
