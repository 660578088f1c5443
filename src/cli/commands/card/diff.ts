import * as Args from "@oclif/core/args";
import { diffCards } from "../../../operations/author/diff-cards.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderDiff } from "../../render/diff.ts";

export default class CardDiff extends DrwnCommand {
  static override completes = { from: "published-card", to: "published-card" } as const;
  static override description =
    `Compare two published cards: hooks, kinds, matchers, capabilities, then files, then code.

Runs neither of them.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend@1.0.0 1.1.0",
    "<%= config.bin %> <%= command.id %> @me/backend@^1.0.0 @you/backend",
  ];
  static override args = {
    from: Args.string({ description: "@scope/name or @scope/name@range", required: true }),
    to: Args.string({ description: "the same, or a version of the first card", required: true }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(CardDiff);
    const diff = await diffCards(host, args.from, args.to);
    return { json: diff, print: (console) => renderDiff(diff, console) };
  }
}
