import * as Flags from "@oclif/core/flags";
import { advise, type CommandScope, drwn, type Text } from "../../kernel/advice.ts";
import { clean, plural } from "../../kernel/text.ts";
import { listOutdated, type OutdatedCard } from "../../operations/project/outdated.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { describeConsent } from "../render/consents.ts";
import { renderTable } from "../render/table.ts";
import { EXIT } from "../terminal/console.ts";

export default class Outdated extends ManagedCommand {
  static override aliases = ["card:outdated"];
  static override hidden = true;
  static override description = `List the cards that are behind, deprecated, yanked, or waiting for a review.

\`wanted\` is the highest version inside the range that the project asks for, \`latest\` the highest of all.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --check"];
  static override flags = { check: Flags.boolean({ description: "Exit with 3 if anything is listed." }) };

  /** It notes what the registries list, and what they took back. */
  protected override isReader(): boolean {
    return false;
  }

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Outdated);
    const outdated = await listOutdated(host);
    const { cards } = outdated;
    return {
      json: outdated,
      print: (console) => {
        const { out, room, scope } = console;
        const rows = cards.map((card) => [
          card.name,
          card.installed ?? "none",
          card.wanted ?? "none",
          card.latest ?? "none",
          describeState(card, scope),
        ]);
        for (const line of renderTable(["card", "installed", "wanted", "latest", ""], rows, room)) out(line);
        for (const { name, waits } of cards) if (waits?.reason) out(`${clean(name)}: ${clean(waits.reason, 1000)}`);
        if (cards.length === 0) out("Everything is up to date");
        else out(`${plural(cards.length, "card")} listed`);
        for (const step of nextSteps(cards)) out(advise`Next: ${step}`);
      },
      exitCode: flags.check && cards.length > 0 ? EXIT.found : EXIT.done,
    };
  }
}

function nextSteps(cards: readonly OutdatedCard[]): Text[] {
  // If every version in the range is yanked, `update` says which others there are.
  const isBehind = cards.some(({ installed, wanted, latest }) => wanted !== installed && latest !== null);
  const isOutside = cards.some(({ wanted, latest }) => latest !== null && latest !== wanted);
  const waiting = cards.filter(({ waits }) => waits !== null);
  return [
    ...(isBehind ? [drwn("update")] : isOutside ? [drwn("update", "--latest")] : []),
    ...waiting.flatMap(({ waits }) => waits?.review ?? []),
  ];
}

function describeState({ deprecated, yanked, waits }: OutdatedCard, scope: CommandScope): string {
  const states = [
    yanked && waits === null ? ["yanked"] : [],
    deprecated === null ? [] : [`deprecated: “${clean(deprecated, 80)}”`],
    waits === null ? [] : [describeConsent(waits, scope)],
  ];
  return states.flat().join("; ");
}
