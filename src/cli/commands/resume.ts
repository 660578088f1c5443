import type { Host } from "../../kernel/host.ts";
import { resumeProject } from "../../operations/pause.ts";
import { type Answer, DrwnCommand } from "../command.ts";

export default class Resume extends DrwnCommand {
  static override description =
    "End a pause: the approved hook policies of this project run again from the next tool call on.";
  static override examples = ["<%= config.bin %> <%= command.id %>"];

  protected async answer(host: Host): Promise<Answer> {
    await this.parse(Resume);
    const resumed = await resumeProject(host);
    return {
      json: resumed,
      print: ({ out }) => out(resumed.wasPaused ? "The hook policies of this project run again" : "Nothing was paused"),
    };
  }
}
