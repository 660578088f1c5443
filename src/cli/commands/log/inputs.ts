import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean } from "../../../kernel/text.ts";
import { keepInputs } from "../../../operations/diagnose/log.ts";
import { INPUTS, type InputLogging } from "../../../operations/preferences.ts";
import { type CommandAnswer, type Host, ScopedCommand } from "../../command.ts";

const KEEPS: Readonly<Record<InputLogging, string>> = {
  keep: "the inputs of all calls, redacted",
  denied: "the inputs of calls that were denied, asked about, rewritten or let through by a person, redacted",
  off: "no inputs, so nobody can let a denied call through",
};

export default class LogInputs extends ScopedCommand {
  static override hidden = true;
  static override description = `Show or change which calls' inputs the journal of this project keeps.

By default (\`denied\`) the journal keeps the inputs of calls that were denied, asked about, rewritten or let through by a person, so that a person sees what \`drwn allow\` lets
through. \`keep\` keeps those of all calls. \`off\` keeps none, and nobody can allow a denied call then. drwn redacts what looks like a secret, and keeps
up to 32,000 characters of a denied call and 2,000 of any other. Lines that are already in the journal stay as they are.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> keep",
    "<%= config.bin %> <%= command.id %> denied",
    "<%= config.bin %> <%= command.id %> off",
  ];
  static override args = {
    change: Args.string({ description: "What to do with them from now on.", options: [...INPUTS] }),
  };
  static override flags = { "dry-run": Flags.boolean({ description: "Say what would change, and change nothing." }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(LogInputs);
    const wanted = INPUTS.find((one) => one === args.change);
    const now = keepInputs(host, flags["dry-run"] ? undefined : wanted);
    const inputs = flags["dry-run"] ? (wanted ?? now.inputs) : now.inputs;
    return {
      json: { ...now, inputs },
      print: ({ out }) => {
        const would = flags["dry-run"] ? "would keep" : "keeps";
        out(`The journal of ${clean(now.project, 1000)} ${would} ${KEEPS[inputs]}`);
      },
    };
  }
}
