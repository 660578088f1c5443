import { clean } from "../../kernel/text.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";
import { complete } from "../completion/complete.ts";
import { readCommandFacts } from "../names/manifest.ts";
import { readNames } from "../names/names.ts";

export default class Complete extends DrwnCommand {
  static override hidden = true;
  static override met = "For shells: see `drwn completion`.";
  static override strict = false;
  static override description = `Say what may be typed next, for the shell that asks.

After \`--\` come the words of the line; the last is the unfinished one, or empty. Each answer is a line: the word, a space,
and what it is.`;
  static override examples = ["<%= config.bin %> <%= command.id %> -- card tr"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { argv } = await this.parse(Complete);
    const known = { commands: readCommandFacts(), names: readNames() };
    const offers = await complete(host, argv.map(String), known);
    return {
      json: { offers },
      print: ({ raw }) => {
        for (const { value, about } of offers) raw(`${value} ${clean(about)}`.trimEnd());
      },
    };
  }
}
