import * as Args from "@oclif/core/args";
import type { Host } from "../../../kernel/host.ts";
import { deprecateCard } from "../../../operations/annotate.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { answerAnnotated } from "../../render/annotated.ts";

export default class CardUndeprecate extends DrwnCommand {
  static override description = "Take back a deprecation. Without a range it is about every version of the card.";
  static override examples = ["<%= config.bin %> <%= command.id %> @me/backend@1.0.0"];
  static override args = { spec: Args.string({ description: "@scope/name or @scope/name@range", required: true }) };

  protected async answer(host: Host): Promise<Answer> {
    const { args } = await this.parse(CardUndeprecate);
    return answerAnnotated(await deprecateCard(host, args.spec, null), "No longer deprecated:");
  }
}
