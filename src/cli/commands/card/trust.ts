import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Host } from "../../../kernel/host.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { makeConsole } from "../../console.ts";
import { reviewAndGrant } from "../../review-and-grant.ts";

export default class CardTrust extends DrwnCommand {
  static override description = `Review the hook policies of an installed card, and consent to them in this project.

The consent is recorded on this machine only. It holds for a semver range: a later version inside it joins by itself when
nothing that the review shows differs, and waits for you otherwise. Next, \`drwn write\` puts the policies in force.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend --hooks",
    '<%= config.bin %> <%= command.id %> @me/backend --hooks --range "^1.0.0"',
    "<%= config.bin %> <%= command.id %> @me/backend --hooks --yes",
  ];
  static override args = { name: Args.string({ description: "@scope/name", required: true }) };
  static override flags = {
    hooks: Flags.boolean({ description: "Consent to the hook policies.", required: true }),
    range: Flags.string({ description: "Versions that the consent is for. [default: ^installed]", helpValue: "RANGE" }),
    yes: Flags.boolean({ char: "y", description: "Consent without being asked; the review is printed all the same." }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { args, flags } = await this.parse(CardTrust);
    const console = makeConsole(host.env);
    const consented = await reviewAndGrant(
      host,
      { card: args.name, range: flags.range ?? null },
      { yes: flags.yes, console },
    );
    return {
      json: consented,
      print: ({ out }) => {
        out(`Consented to the hook policies of ${consented.card} in the range ${consented.range}`);
        out("Next: drwn write");
      },
    };
  }
}
