import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { Problem } from "../../../kernel/problem.ts";
import { type ForgottenKeys, findForgettable, forgetKey } from "../../../operations/machine/keys.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { type Console, makeConsole } from "../../terminal/console.ts";
import { askYes } from "../../terminal/prompt.ts";

export default class KeyForget extends DrwnCommand {
  static override hidden = true;
  static override completes = { for: "scope" } as const;
  static override description = `Forget the key that a card came with, or the keys that you entered for a scope.

drwn then pins the next key that the card comes with as if it were the first, so ask its publisher before. If you know the
new key, \`drwn key trust\` is better. Consents stay bound to the key that the card was signed with.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @acme/backend --dry-run",
    "<%= config.bin %> <%= command.id %> @acme/backend --yes",
    "<%= config.bin %> <%= command.id %> @acme ed25519:…",
  ];
  static override args = {
    for: Args.string({ description: "@scope/name or @scope", required: true }),
    key: Args.string({ description: "only this one of a scope's keys" }),
  };
  static override flags = {
    "dry-run": Flags.boolean({ default: false, description: "Print what would be forgotten, and forget nothing." }),
    yes: Flags.boolean({ char: "y", description: "Forget without being asked." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(KeyForget);
    const request = { for: args.for, key: args.key ?? null };
    const found = findForgettable(host, request);
    const dryRun = flags["dry-run"];
    if (!dryRun) await this.confirm(found, { ...flags, console: makeConsole(host.env) });
    const keys = dryRun ? found : await forgetKey(host, request);
    return {
      json: { ...keys, dryRun },
      print: ({ out }) => {
        for (const key of keys.forgotten) out(`${dryRun ? "would forget" : "forgot"} ${key} for ${keys.for}`);
        for (const key of keys.remaining) out(`still known: ${key}`);
      },
    };
  }

  private async confirm(found: ForgottenKeys, { yes, console }: Asking): Promise<void> {
    if (yes) return;
    for (const key of found.forgotten) console.talk(`Known for ${found.for}: ${key}`);
    const words = this.argv.filter((word) => !word.startsWith("-"));
    const command = ["drwn key forget", ...words].join(" ");
    const question = `Forget it, and pin the next key for ${found.for}, whichever it is?`;
    if (await askYes(question, { flag: "--yes", command, doing: "forgetting a key" })) return;
    throw new Problem("DRWN_CONSENT_DECLINED", `no key for ${found.for} was forgotten`, { hint: command });
  }
}

interface Asking {
  yes: boolean;
  console: Console;
}
