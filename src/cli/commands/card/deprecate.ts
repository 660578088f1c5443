import * as Args from "@oclif/core/args";
import type { Host } from "../../../kernel/host.ts";
import { deprecateCard } from "../../../operations/annotate.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { answerAnnotated } from "../../render/annotated.ts";

export default class CardDeprecate extends DrwnCommand {
  static override description = `Say that published versions should not be used any more, and why.

They can still be added; whoever does is shown the message. Without a range it is about every version of the card.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> @me/backend "use @me/guards instead"',
    '<%= config.bin %> <%= command.id %> "@me/backend@<1.2.0" "1.2.0 mends the matcher"',
  ];
  static override args = {
    spec: Args.string({ description: "@scope/name or @scope/name@range", required: true }),
    message: Args.string({ description: "one line: what to use instead", required: true }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { args } = await this.parse(CardDeprecate);
    return answerAnnotated(await deprecateCard(host, args.spec, args.message), "Deprecated");
  }
}
