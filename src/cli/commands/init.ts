import { clean } from "../../kernel/text.ts";
import { initProject, isProjectFolder, mayAskPerson } from "../../operations/project/init.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";
import { describeFound, setUp } from "../set-up.ts";

export default class Init extends DrwnCommand {
  static override description = `Make the current folder a drwn project, and at a terminal set up its guards.

Creates .agents/drwn/config.json and .agents/drwn/card.lock; commit both. \`drwn write\` guards
the agents of each machine that it finds, by their folders and by their programs on PATH.

At a terminal it goes on until the folder is guarded: it offers the cards of your registries, shows the review of each, asks
for your consent, and writes. In a project that has cards, such as a fresh clone, it takes those instead; it asks you before a
registry that the project names becomes one of yours. You can stop at any step, and start it again.`;
  static override examples = ["<%= config.bin %> <%= command.id %>"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    await this.parse(Init);
    if (!this.wantsJson() && mayAskPerson(host)) {
      const isProject = isProjectFolder(host);
      return { json: null, print: (console) => setUp(host, console, { isProject }) };
    }
    const made = initProject(host);
    return {
      json: made,
      print: ({ out }) => {
        out(`Made ${clean(made.root)} a drwn project`);
        out(describeFound(made));
        out("Next: drwn add <card>");
      },
    };
  }
}
