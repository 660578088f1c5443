import * as Args from "@oclif/core/args";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";
import { SCRIPTS, SHELLS } from "../completion/scripts.ts";

export default class Completion extends DrwnCommand {
  static override hidden = true;
  static override met = "The last line of `drwn help`.";
  static override description = `Print the script that makes a shell complete drwn's commands, flags and names.

Names are those of cards, their hooks, agents, registries and calls of the journal. Put the line for your shell into its startup
file: ~/.bashrc, ~/.zshrc after compinit, or ~/.config/fish/config.fish. Nothing is fetched while you type.`;
  static override examples = [
    `<%= config.bin %> <%= command.id %> bash   # eval "$(drwn completion bash)"`,
    `<%= config.bin %> <%= command.id %> zsh    # eval "$(drwn completion zsh)"`,
    "<%= config.bin %> <%= command.id %> fish   # drwn completion fish | source",
  ];
  static override args = {
    shell: Args.string({ description: "the shell", options: [...SHELLS], required: true }),
  };

  protected async answer(_host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(Completion);
    const script = SCRIPTS[args.shell] ?? "";
    return { json: { shell: args.shell, script }, print: ({ raw }) => raw(script.trimEnd()) };
  }
}
