import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Host } from "../../../kernel/host.ts";
import { clean } from "../../../kernel/text.ts";
import { requestConsent, withdrawRequest } from "../../../operations/project/request.ts";
import { parseTyped } from "../../../operations/project/trust.ts";
import { DrwnCommand } from "../../command.ts";
import type { CommandAnswer } from "../../terminal/console.ts";

export default class TrustRequest extends DrwnCommand {
  static override hidden = true;
  static override completes = { card: "installed-card" } as const;
  static override description = `Say what this project asks its users to consent to.

It changes the committed trust.json, and grants nothing: whoever clones the repository reviews the card, and consents or doesn't.
\`drwn card trust\` adds a card that isn't asked for yet; only this command changes or withdraws a request.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> @me/backend --range "^2.0.0"',
    "<%= config.bin %> <%= command.id %> @me/backend --set guard-push.protect=release",
    "<%= config.bin %> <%= command.id %> @me/backend --withdraw",
  ];
  static override args = { card: Args.string({ description: "@scope/name", required: true }) };
  static override flags = {
    range: Flags.string({ description: "Versions that are asked for. [default: ^installed]", helpValue: "RANGE" }),
    set: Flags.string({
      description: "Ask for an option of a hook to have this value; each mention of a list adds an item.",
      multiple: true,
      helpValue: "HOOK.OPTION=VALUE",
      exclusive: ["withdraw"],
    }),
    withdraw: Flags.boolean({ description: "Stop asking for this card.", exclusive: ["range"] }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(TrustRequest);
    const requested = flags.withdraw
      ? await withdrawRequest(host, args.card)
      : await requestConsent(host, {
          card: args.card,
          range: flags.range,
          options: flags.set?.map(parseTyped) ?? [],
        });
    const { card, range, before } = requested;
    const former = before === null || before === range ? "" : `, formerly ${clean(before)}`;
    return {
      json: requested,
      print: ({ out }) =>
        out(
          range === null
            ? `The project doesn't ask for ${clean(card)}${former}`
            : `The project asks its users to consent to ${clean(card)} ${clean(range)}${former}`,
        ),
    };
  }
}
