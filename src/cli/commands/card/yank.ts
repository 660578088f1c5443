import * as Args from "@oclif/core/args";
import type { Host } from "../../../kernel/host.ts";
import { yankCard } from "../../../operations/annotate.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { answerAnnotated } from "../../render/annotated.ts";

export default class CardYank extends DrwnCommand {
  static override description = `Keep published versions from everybody who has not locked them.

Nothing is deleted: projects that have a yanked version in card.lock go on installing it, and \`drwn outdated\` tells them.`;
  static override examples = ["<%= config.bin %> <%= command.id %> @me/backend@1.0.3"];
  static override args = { spec: Args.string({ description: "@scope/name@version or a range", required: true }) };

  protected async answer(host: Host): Promise<Answer> {
    const { args } = await this.parse(CardYank);
    return answerAnnotated(await yankCard(host, args.spec, true), "Yanked");
  }
}
