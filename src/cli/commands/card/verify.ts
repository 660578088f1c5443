import * as Args from "@oclif/core/args";
import { clean } from "../../../kernel/text.ts";
import { verifyCard } from "../../../operations/author/verify-card.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class CardVerify extends DrwnCommand {
  static override completes = { spec: "published-card" } as const;
  static override description =
    `Compare a card's bytes with everything said about it: digests, index, signature, publisher.

In a project, a name without a range means the version in card.lock. Loads nothing in the card. Exits with 1 at the first
difference.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> @me/backend@1.0.0 --json",
  ];
  static override args = { spec: Args.string({ description: "@scope/name or @scope/name@range", required: true }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(CardVerify);
    const verified = await verifyCard(host, args.spec);
    return {
      json: verified,
      print: ({ out, style }) => {
        for (const { check, message } of verified.checks) {
          out(`${style.good("ok")}  ${check.padEnd(10)} ${clean(message)}`);
        }
        out(`${verified.name}@${verified.version} is what ${clean(verified.registry)} says it is`);
      },
    };
  }
}
