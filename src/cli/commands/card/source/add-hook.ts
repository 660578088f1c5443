import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { shellQuote } from "../../../../kernel/text.ts";
import { editSource, HOOK_TEMPLATES } from "../../../../operations/author/edit-source.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../../command.ts";
import { answerEdit } from "../../../render/card.ts";

export default class SourceAddHook extends DrwnCommand {
  static override completes = { card: "source" } as const;
  static override description = `Add a hook policy to a card source.

Writes an observer stub, or the policy of another template with its first cases, to hooks/<hook>, and lists the hook in card.json. Adopts files that \`remove-hook --keep-files\` left, as they are.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend audit-tool-calls",
    "<%= config.bin %> <%= command.id %> @me/backend no-force-push --template gate",
    "<%= config.bin %> <%= command.id %> @me/backend self-protection --template self-protection",
    "<%= config.bin %> <%= command.id %> ./backend guard --dry-run --json",
  ];
  static override args = {
    card: Args.string({ description: "name or folder of the source", required: true }),
    hook: Args.string({ description: "name of the hook", required: true }),
  };
  static override flags = {
    template: Flags.option({
      options: HOOK_TEMPLATES,
      default: "hook" as const,
      description:
        "What to start from: an observer stub, a gate on a command, or a guard that keeps agents from changing their own guards.",
    })(),
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(SourceAddHook);
    const edit = editSource(host, args.card, {
      add: "hook",
      name: args.hook,
      template: flags.template,
      dryRun: flags["dry-run"],
    });
    const { json, print } = answerEdit(edit, { hook: args.hook }, { done: "Added hook", would: "Would add hook" });
    return {
      json,
      print: async (console) => {
        await print(console);
        if (flags["dry-run"]) return;
        console.talk(`Next: change its policy.ts and cases.jsonl, then: drwn card test ${shellQuote(args.card)}`);
      },
    };
  }
}
