import { clean } from "../../../kernel/text.ts";
import { listExceptions } from "../../../operations/diagnose/allow.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderTable } from "../../render/table.ts";
import { localTime } from "../../terminal/local-time.ts";

export default class AllowList extends DrwnCommand {
  static override hidden = true;
  static override met = "`drwn allow --help` names it.";
  static override description = `Show what a person lets through in this project, and how often it was used.

An exception is void once the version in force has another hook than the one it was made for.`;
  static override examples = ["<%= config.bin %> <%= command.id %>"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    await this.parse(AllowList);
    const exceptions = listExceptions(host);
    return {
      json: { exceptions },
      print: ({ out, talk, room }) => {
        const rows = exceptions.map(({ id, card, hook, like, uses, state, expiresAt, reason }) => [
          id,
          `${card}#${hook}`,
          like === null ? "one call" : clean(like.words.join(" "), 200),
          `${uses}`,
          expiresAt === null || state !== "holds" ? state : `until ${localTime(expiresAt)}`,
          clean(reason, 300),
        ]);
        for (const row of renderTable(["id", "past", "lets through", "used", "state", "why"], rows, room)) out(row);
        if (rows.length === 0) talk("Nothing is let through");
      },
    };
  }
}
