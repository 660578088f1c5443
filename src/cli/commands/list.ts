import { drwn, sayIn } from "../../kernel/advice.ts";
import { type ListedCards, listBoth } from "../../operations/project/list.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { describeConsent } from "../render/consents.ts";
import { renderGuarding } from "../render/guarding.ts";
import { renderTable } from "../render/table.ts";
import { describeLoosened } from "../render/write.ts";
import type { Console } from "../terminal/console.ts";

export default class List extends ManagedCommand {
  protected override isReader(): boolean {
    return true;
  }
  static override description = "List the cards of this project, in the order in which their policies run.";
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --json"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    await this.parse(List);
    const listed = listBoth(host);
    return {
      json: listed,
      print: (console) => {
        printCards(listed, console);
        if (listed.global === null) return;
        console.out();
        console.out(console.style.bold("In every folder:"));
        printCards(listed.global, console);
      },
    };
  }
}

function printCards(listed: ListedCards, { out, talk, style, room }: Console): void {
  const { scope } = listed;
  for (const line of renderGuarding(listed.guarding, { style, scope })) out(line);
  if (listed.cards.length === 0) talk(`No cards yet. Next: ${sayIn(scope, drwn("add", "<card>"))}`);
  const rows = listed.cards.map(({ name, version, range, consent }) => [
    name,
    version,
    range,
    describeConsent(consent, scope),
  ]);
  for (const line of renderTable(["card", "version", "asked for", "hooks"], rows, room)) out(line);
  for (const line of describeLoosened(listed)) talk(line);
}
