import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { setVersion } from "../../../operations/author/set-version.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class CardVersion extends DrwnCommand {
  static override hidden = true;
  static override met = "`drwn card source set --version` takes the same steps.";
  static override completes = { source: "source" } as const;
  static override description = `Set the version that a card source will be published as.

The changes decide how large the step has to be; \`card publish --dry-run\` tells you.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend minor",
    "<%= config.bin %> <%= command.id %> . 2.0.0-rc.1",
  ];
  static override args = {
    source: Args.string({ description: "name or folder of the source", required: true }),
    step: Args.string({ description: "patch, minor, major, or a version like 1.2.3", required: true }),
  };
  static override flags = {
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardVersion);
    const stepped = setVersion(host, { ...args, dryRun: flags["dry-run"] });
    const { card, from, to, dryRun } = stepped;
    return {
      json: stepped,
      print: ({ out }) => {
        if (from === to) out(`${card} is ${to} already`);
        else out(`${card} ${dryRun ? "would go" : "goes"} from ${from} to ${to}`);
      },
    };
  }
}
