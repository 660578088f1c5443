import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean } from "../../../kernel/text.ts";
import { keepInputs } from "../../../operations/diagnose/log.ts";
import type { CommandAnswer, Host } from "../../command.ts";
import { ScopedCommand } from "../../scoped-command.ts";

export default class LogInputs extends ScopedCommand {
  static override hidden = true;
  static override met = "`drwn help log` names it.";
  static override description =
    `Say whether the journal of this project keeps what tools are called with, or change that.

It keeps none unless you ask for it here, for this project on this machine; no project can ask for itself. drwn redacts what looks like
a secret, and keeps at most 2000 characters. Lines that are already in the journal stay as they are.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> keep",
    "<%= config.bin %> <%= command.id %> drop",
  ];
  static override args = {
    change: Args.string({ description: "What to do with them from now on.", options: ["keep", "drop"] }),
  };
  static override flags = { "dry-run": Flags.boolean({ description: "Say what would change, and change nothing." }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(LogInputs);
    const wanted = args.change === undefined ? undefined : args.change === "keep";
    const now = keepInputs(host, flags["dry-run"] ? undefined : wanted);
    const isKept = flags["dry-run"] ? (wanted ?? now.isKept) : now.isKept;
    return {
      json: { ...now, isKept },
      print: ({ out }) => {
        const would = flags["dry-run"] ? "would be" : "are";
        out(
          `Inputs of tools ${would} ${isKept ? "kept, redacted," : "not kept"} in the journal of ${clean(now.project, 1000)}`,
        );
      },
    };
  }
}
