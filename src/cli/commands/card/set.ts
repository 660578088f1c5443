import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean } from "../../../kernel/text.ts";
import { listOptions, type SetOptions, setOptions } from "../../../operations/project/set-options.ts";
import { parseTyped, printOption } from "../../../operations/project/trust.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class CardSet extends DrwnCommand {
  static override hidden = true;
  static override completes = { name: "installed-card" } as const;
  static override description = `Show the options of an approved card's hooks, and set them.

A value holds from the next tool call on. Only a person can set one: an option may let calls through. For a list, name the option
once for each item; with nothing after the equals sign, the list is empty.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> @me/backend guard-push.allow='user/*' guard-push.allow='try/*'",
    "<%= config.bin %> <%= command.id %> @me/backend --reset guard-push.allow",
  ];
  static override strict = false;
  static override args = {
    name: Args.string({ description: "@scope/name", required: true }),
    setting: Args.string({ description: "hook.option=value, one or more; without one, the options are listed" }),
  };
  static override flags = {
    reset: Flags.string({
      description: "Give an option the value that the card declares.",
      multiple: true,
      helpValue: "HOOK.OPTION",
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, argv, flags } = await this.parse(CardSet);
    const typed = argv.slice(1).map((one) => parseTyped(String(one)));
    const reset = (flags.reset ?? []).map((one) => parseTyped(`${one}=`));
    const isListed = typed.length + reset.length === 0;
    const result = isListed ? listOptions(host, args.name) : await setOptions(host, { card: args.name, typed, reset });
    return { json: result, print: ({ out }) => printOptions(result, isListed, out) };
  }
}

function printOptions({ card, options, changes }: SetOptions, isListed: boolean, out: (line: string) => void): void {
  if (isListed) {
    for (const { hook, option, value, declared } of options) {
      out(clean(printOption(hook, option, value), 4_000));
      out(`  ${clean(declared.description, 400)}; default: ${clean(JSON.stringify(declared.default), 2_000)}`);
    }
    if (options.length === 0) out(`${card} has no options`);
    return;
  }
  for (const { hook, option, from, to } of changes) {
    const former = from === null ? "" : `, formerly ${clean(JSON.stringify(from), 2_000)}`;
    out(`${clean(printOption(hook, option, to), 4_000)}${former}`);
  }
  out(changes.length === 0 ? "Already up to date" : "It holds from the next tool call on");
}
