import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { advise, drwn } from "../../../kernel/advice.ts";
import { plural } from "../../../kernel/text.ts";
import { revokeConsent } from "../../../operations/project/untrust.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../../command.ts";

export default class CardUntrust extends ManagedCommand {
  static override completes = { name: "installed-card" } as const;
  static override description = `Withdraw the consent to a card's hook policies in this project.

They are silent from the next tool call on, in running sessions, too; \`drwn write\` then clears away what they left,
and takes out the skills that the consent was for.`;
  static override examples = ["<%= config.bin %> <%= command.id %> @me/backend --hooks"];
  static override args = { name: Args.string({ description: "@scope/name", required: true }) };
  static override flags = {
    hooks: Flags.boolean({ description: "Withdraw the consent to the hook policies: the default." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(CardUntrust);
    const revocation = await revokeConsent(host, args.name);
    const { card, revoked, skills, blocksUntilWrite } = revocation;
    return {
      json: revocation,
      print: ({ out }) => {
        if (blocksUntilWrite) {
          out(`The consent to the hook policies of ${card} is withdrawn`);
          out(advise`The record of your other consents was lost, so every call is blocked until: ${drwn("write")}`);
          return;
        }
        out(
          revoked
            ? `The hook policies of ${card} are silent now`
            : `There was no consent to the hook policies of ${card}`,
        );
        if (skills.length > 0)
          out(advise`To take out its ${plural(skills.length, "skill")} ${skills.join(", ")}: ${drwn("write")}`);
      },
    };
  }
}
