import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { shellQuote } from "../../../kernel/text.ts";
import { findCard, runCardTest } from "../../../operations/author/test-card.ts";
import { askToRun } from "../../ask-to-run.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderCardTest } from "../../render/proving/card-test.ts";
import { EXIT } from "../../terminal/exit.ts";

export default class CardTest extends DrwnCommand {
  static override completes = { card: "source" } as const;
  static override description = `Run the cases of a card's hooks: calls, and what the hook should make of each.

The cases of a hook are in hooks/<hook>/cases.jsonl, one in a line. Each runs through the real engine, confined as in front of an
agent, under each name that agents have for the tool. Exits with 1 if a case fails.

With --mutate, what is denied must stay so behind sudo, in bash -c, with other quotes and in other ways, and whatever only speaks of it must
be let through. What a hook misses is printed as cases to keep, and fails nothing.

A card that is not a source of your own is code of somebody else. Without a consent to it, its cases run only if you say yes, or with
--run; it then reaches nothing.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> @me/backend --hook guard",
    "<%= config.bin %> <%= command.id %> ./backend --mutate",
    "<%= config.bin %> <%= command.id %> @me/backend@1.0.0 --run --json",
  ];
  static override args = {
    card: Args.string({ description: "a source by name or folder, or @scope/name@version", default: "." }),
  };
  static override flags = {
    hook: Flags.string({ description: "Only this hook.", helpValue: "NAME" }),
    mutate: Flags.boolean({
      default: false,
      description: "Also try calls that come to the same as those of the cases, or only mention them.",
    }),
    run: Flags.boolean({ default: false, description: "Run the card's code without asking." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardTest);
    const card = await findCard(host, args.card);
    const command = `drwn card test ${shellQuote(args.card)} --run`;
    const isAllowed = flags.run || (await askToRun(card, { host, isQuiet: this.wantsJson(), command }));
    const tested = await runCardTest(host, { card, hook: flags.hook, isAllowed, mutates: flags.mutate });
    return {
      json: tested,
      print: (console) => renderCardTest(tested, console),
      exitCode: tested.ok ? EXIT.done : EXIT.problem,
    };
  }
}
