import * as Flags from "@oclif/core/flags";
import { advise, drwn } from "../../kernel/advice.ts";
import { LONGEST_PAUSE_MINUTES, pauseProject, resumeProject } from "../../operations/project/pause.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { localTime } from "../terminal/style.ts";

export default class Pause extends ManagedCommand {
  static override description = `Silence every hook policy of this project for some minutes.

Needs a person at a terminal, holds from the next tool call on, and ends by itself. \`drwn status\`, \`drwn doctor\` and
\`drwn trust --log\` show it. Consents stay as they are. With --end the approved policies run again from the next tool call on.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> --minutes 30",
    "<%= config.bin %> <%= command.id %> --end",
  ];
  static override flags = {
    minutes: Flags.integer({
      description: `How long, at most ${LONGEST_PAUSE_MINUTES}.`,
      exactlyOne: ["minutes", "end"],
      helpValue: "N",
    }),
    end: Flags.boolean({ description: "End the pause now." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Pause);
    if (flags.minutes === undefined) return endPause(host);
    const paused = await pauseProject(host, flags.minutes);
    return {
      json: paused,
      print: ({ out }) => {
        out(`No hook policy runs here until ${localTime(paused.until ?? "")}`);
        out(advise`To end it earlier: ${drwn("pause", "--end")}`);
      },
    };
  }
}

async function endPause(host: Host): Promise<CommandAnswer> {
  const resumed = await resumeProject(host);
  return {
    json: resumed,
    print: ({ out }) => out(resumed.wasPaused ? "The hook policies of this project run again" : "Nothing was paused"),
  };
}
