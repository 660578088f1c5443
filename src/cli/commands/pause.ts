import * as Flags from "@oclif/core/flags";
import type { Host } from "../../kernel/host.ts";
import { LONGEST_PAUSE_MINUTES, pauseProject } from "../../operations/pause.ts";
import { type Answer, DrwnCommand } from "../command.ts";

export default class Pause extends DrwnCommand {
  static override description = `Silence every hook policy of this project for some minutes.

It takes a person at a terminal, holds from the next tool call on, and ends by itself. \`drwn status\`, \`drwn doctor\` and
\`drwn trust log\` say it. Consents stay as they are.`;
  static override examples = ["<%= config.bin %> <%= command.id %> --minutes 30"];
  static override flags = {
    minutes: Flags.integer({
      description: `How long, at most ${LONGEST_PAUSE_MINUTES}.`,
      required: true,
      helpValue: "N",
    }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { flags } = await this.parse(Pause);
    const paused = await pauseProject(host, flags.minutes);
    return {
      json: paused,
      print: ({ out }) => {
        out(`No hook policy runs here until ${paused.until}`);
        out("To end it earlier: drwn resume");
      },
    };
  }
}
