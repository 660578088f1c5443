import * as Args from "@oclif/core/args";
import type { Host } from "../../../kernel/host.ts";
import { yankCard } from "../../../operations/annotate.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { answerAnnotated } from "../../render/annotated.ts";

export default class CardUnyank extends DrwnCommand {
  static override description = "Hand out yanked versions again.";
  static override examples = ["<%= config.bin %> <%= command.id %> @me/backend@1.0.3"];
  static override args = { spec: Args.string({ description: "@scope/name@version or a range", required: true }) };

  protected async answer(host: Host): Promise<Answer> {
    const { args } = await this.parse(CardUnyank);
    return answerAnnotated(await yankCard(host, args.spec, false), "Handed out again:");
  }
}
