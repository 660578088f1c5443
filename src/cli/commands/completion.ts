import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean } from "../../kernel/text.ts";
import { type CommandAnswer, DrwnCommand, type Host, wordsIn } from "../command.ts";
import { complete, SCRIPTS, SHELLS } from "../completion/complete.ts";
import { readCommandFacts, readNames } from "../names/names.ts";

export default class Completion extends DrwnCommand {
  static override hidden = true;
  static override description = `Print the script that makes a shell complete drwn's commands, flags and names.

Names are those of cards, their hooks, agents, registries and calls of the journal. Put the line for your shell into its startup
file: ~/.bashrc, ~/.zshrc after compinit, or ~/.config/fish/config.fish. Nothing is fetched while you type.

The scripts ask with --answer: after \`--\` come the words of the line, the last one unfinished or empty. Each answer is a line: the word, a
space, and what it is.`;
  static override examples = [
    `<%= config.bin %> <%= command.id %> bash   # eval "$(drwn completion bash)"`,
    `<%= config.bin %> <%= command.id %> zsh    # eval "$(drwn completion zsh)"`,
    "<%= config.bin %> <%= command.id %> fish   # drwn completion fish | source",
  ];
  static override strict = false;
  static override args = { shell: Args.string({ description: `the shell: ${SHELLS.join(", ")}` }) };
  static override flags = { answer: Flags.boolean({ description: "Say what may be typed next." }) };

  protected override readonly needsHome = false;

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { raw, flags } = await this.parse(Completion);
    const words = wordsIn(raw);
    if (flags.answer) return answerLine(host, words);
    const shell = words.length === 1 ? String(words[0]) : "";
    const script = SCRIPTS[shell];
    if (script === undefined) this.error(`name one shell: ${SHELLS.join(", ")}`);
    return { json: { shell, script }, print: ({ raw }) => raw(script.trimEnd()) };
  }
}

async function answerLine(host: Host, words: readonly string[]): Promise<CommandAnswer> {
  const offers = await complete(host, words, { commands: readCommandFacts(), names: readNames() });
  return {
    json: { offers },
    print: ({ raw }) => {
      for (const { value, about } of offers) raw(`${value} ${clean(about)}`.trimEnd());
    },
  };
}
