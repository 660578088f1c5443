import * as Flags from "@oclif/core/flags";
import type { Host } from "../../../kernel/host.ts";
import { clean, plural } from "../../../kernel/text.ts";
import { exportConsents, signProjectConsents } from "../../../operations/portable-consents.ts";
import { type Answer, DrwnCommand } from "../../command.ts";

export default class TrustExport extends DrwnCommand {
  static override description = `Print the consents in force here, for \`drwn trust accept\` on another machine.

They name exact contents. With --sign they are signed with the key of a scope, for this repository only, and written to
.agents/drwn/grants.json, to be committed: machines that were told to believe the key can accept them.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> > trust.json",
    "<%= config.bin %> <%= command.id %> --sign @acme",
  ];
  static override flags = {
    sign: Flags.string({
      description: "Sign with the key of this scope, and write to the project.",
      helpValue: "@SCOPE",
    }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { flags } = await this.parse(TrustExport);
    if (flags.sign === undefined) {
      const { text } = exportConsents(host);
      return { json: JSON.parse(text), print: ({ out }) => out(text.trimEnd()) };
    }
    const { file, signed } = signProjectConsents(host, flags.sign);
    return {
      json: { file, ...signed },
      print: ({ out }) => {
        out(`Signed ${plural(signed.consents.length, "consent")} for ${clean(signed.repository)} as ${signed.signer}`);
        out(`Next: commit ${clean(file, 2000)}`);
      },
    };
  }
}
