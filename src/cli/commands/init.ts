import { clean } from "../../kernel/text.ts";
import { initProject } from "../../operations/project/init.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";

export default class Init extends DrwnCommand {
  static override description = `Make the current folder a drwn project.

Creates .agents/drwn/config.json and .agents/drwn/card.lock; commit both. config.json names the agents that are used here, going
by their folders. If it names none, \`drwn write\` guards Claude Code, unless you say otherwise with --runtime.`;
  static override examples = ["<%= config.bin %> <%= command.id %>"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    await this.parse(Init);
    const made = initProject(host);
    return {
      json: made,
      print: ({ out }) => {
        out(`Made ${clean(made.root)} a drwn project`);
        out(`Its policies will run in: ${made.runtimes.join(", ")}`);
        out("Next: drwn add <card>");
      },
    };
  }
}
