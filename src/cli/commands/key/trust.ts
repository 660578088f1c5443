import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { Problem } from "../../../kernel/problem.ts";
import { type ForgottenKeys, findForgettable, forgetKey, trustKey } from "../../../operations/machine/keys.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { type Console, makeConsole } from "../../terminal/console.ts";
import { askYes } from "../../terminal/prompt.ts";

export default class KeyTrust extends DrwnCommand {
  static override completes = { for: "scope" } as const;
  static override description = `Record a key that a publisher gave you.

For a scope: its cards may be signed with this key, and one that is new here must be. For a card: this key replaces the
pinned one. It lets cards in; drwn still asks you what their hooks may do.

With --undo, forget the key that a card came with, or all keys of a scope, or one of them. drwn then pins the next key that the card comes
with as if it were the first, so ask its publisher before; if you know the new key, entering it is better. Consents stay bound to the key
that the card was signed with.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> ed25519:… @acme",
    "<%= config.bin %> <%= command.id %> ed25519:… @acme/backend",
    "<%= config.bin %> <%= command.id %> --undo @acme/backend",
    "<%= config.bin %> <%= command.id %> --undo ed25519:… @acme",
  ];
  static override args = {
    key: Args.string({ description: "the key, as `drwn key list <scope>` prints it; with --undo all, without one" }),
    for: Args.string({ description: "@scope or @scope/name" }),
  };
  static override flags = {
    undo: Flags.boolean({ default: false, description: "Forget the key instead." }),
    yes: Flags.boolean({ char: "y", description: "Forget without being asked.", dependsOn: ["undo"] }),
    "dry-run": Flags.boolean({
      default: false,
      description: "Print what would be forgotten, and forget nothing.",
      dependsOn: ["undo"],
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(KeyTrust);
    const [scope, key = null] = args.for === undefined ? [args.key] : [args.for, args.key];
    if (scope === undefined || (key === null && !flags.undo))
      this.error(`expected ${flags.undo ? "@scope or @scope/name" : "a key, and @scope or @scope/name"}`);
    if (flags.undo) return this.#forget(host, { for: scope, key }, flags);
    const trusted = await trustKey(host, { key: key ?? "", for: scope });
    return {
      json: trusted,
      print: ({ out }) => {
        out(`${trusted.for} may be signed with ${trusted.publisher}`);
        if (trusted.replaces !== null) out(`It replaces ${trusted.replaces}`);
      },
    };
  }

  async #forget(host: Host, request: ForgetRequest, { yes, "dry-run": dryRun }: ForgetFlags): Promise<CommandAnswer> {
    const found = findForgettable(host, request);
    if (!dryRun && !yes) await this.#confirm(found, makeConsole(host.env));
    const keys = dryRun ? found : await forgetKey(host, request);
    return {
      json: { ...keys, dryRun },
      print: ({ out }) => {
        for (const key of keys.forgotten) out(`${dryRun ? "would forget" : "forgot"} ${key} for ${keys.for}`);
        for (const key of keys.remaining) out(`still known: ${key}`);
      },
    };
  }

  async #confirm(found: ForgottenKeys, console: Console): Promise<void> {
    for (const key of found.forgotten) console.talk(`Known for ${found.for}: ${key}`);
    const words = this.argv.filter((word) => !word.startsWith("-"));
    const command = ["drwn key trust --undo", ...words].join(" ");
    const question = `Forget it, and pin the next key for ${found.for}, whichever it is?`;
    if (await askYes(question, { flag: "--yes", command, doing: "forgetting a key" })) return;
    throw new Problem("DRWN_CONSENT_DECLINED", `no key for ${found.for} was forgotten`, { hint: command });
  }
}

type ForgetRequest = Parameters<typeof forgetKey>[1];

interface ForgetFlags {
  yes: boolean;
  "dry-run": boolean;
}
