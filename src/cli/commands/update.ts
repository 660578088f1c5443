import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { advise, type CommandScope, drwn } from "../../kernel/advice.ts";
import { clean, plural } from "../../kernel/text.ts";
import { readStatus } from "../../operations/diagnose/status.ts";
import { listCards } from "../../operations/project/list.ts";
import {
  listUpdateChoices,
  type UpdateChoice,
  type UpdatedCard,
  type UpdateRequest,
  type UpdateResult,
  updateCards,
} from "../../operations/project/update.ts";
import { offerAtTerminal } from "../ask-to-consent.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { stepsToWrite } from "../next-steps.ts";
import { warnOfDeprecation } from "../render/card.ts";
import { describeConsent } from "../render/consents.ts";
import { renderGuarding } from "../render/guarding.ts";
import { describeGranted } from "../render/review.ts";
import type { Console } from "../terminal/console.ts";
import { type Choice, chooseFromGroups } from "../terminal/prompt.ts";

export default class Update extends ManagedCommand {
  static override completes = { name: "installed-card" } as const;
  static override aliases = ["card:update"];
  static override description = `Lock the highest version of each card inside the range that the project asks for.

All of them, or those that you name. Runs nothing in a card: a new version of its hook policies joins at the next \`drwn write\`
if your consent covers it, and otherwise waits for a review, while the approved one stays in force.

At a terminal drwn shows the review of a version that waits, and asks; \`r\` there replays what differs on your last 30 days.

With -i you pick from a list at a terminal: what is inside the ranges and what is beyond them, by patch, minor and major, each with
what would become of its hook policies.

\`drwn outdated\` only lists the cards that are behind, yanked, or wait for a review.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> @me/backend --latest",
    "<%= config.bin %> <%= command.id %> -i",
    "<%= config.bin %> <%= command.id %> --dry-run",
  ];
  static override strict = false;
  static override args = { name: Args.string({ description: "@scope/name, any number of them" }) };
  static override flags = {
    latest: Flags.boolean({ description: "Go past the range, to the highest version, and move the range." }),
    interactive: Flags.boolean({
      char: "i",
      description: "Pick from a list at a terminal.",
      exclusive: ["latest", "dry-run"],
    }),
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { argv, flags } = await this.parse(Update);
    const dryRun = flags["dry-run"];
    const names = argv.map(String);
    const asked = flags.interactive
      ? await chooseUpdates(host, names, this.consoleOf(host))
      : { names, latest: Boolean(flags.latest) };
    if (asked === null) return answerNothing("Already up to date");
    if (flags.interactive && asked.names.length === 0) return answerNothing("Nothing was chosen");
    const updated = await updateCards(host, { ...asked, dryRun });
    return {
      json: updated,
      print: async (console) => {
        printUpdated(updated, console);
        if (dryRun) return;
        const waiting = updated.cards.filter(({ consent }) => consent?.state === "waits").map(({ name }) => name);
        const requests = waiting.map((card) => ({ card, range: null }));
        const granted = await offerAtTerminal(host, requests, { console, isVerbose: this.isVerbose() });
        host.progress("");
        for (const one of granted) console.out(describeGranted(one));
        if (granted.length > 0) for (const line of renderGuarding(listCards(host).guarding, console)) console.out(line);
        if (updated.cards.some(isChanged))
          for (const step of stepsToWrite(readStatus(host))) console.out(`Next: ${clean(step, 1000)}`);
      },
    };
  }
}

function answerNothing(why: string): CommandAnswer {
  const updated: UpdateResult = { dryRun: false, cards: [] };
  return { json: updated, print: ({ out }) => out(why) };
}

function printUpdated({ cards, dryRun }: UpdateResult, console: Console): void {
  const { out, scope } = console;
  warnOfDeprecation(cards, console);
  const changed = cards.filter(isChanged);
  for (const card of changed) out(describeStep(card, scope));
  const left = cards.filter(({ yanked }) => yanked !== null);
  for (const { name, version, range, yanked } of left) {
    const why = `${clean(name)}@${clean(version)} was yanked by its publisher, and ${clean(range)} has no other version`;
    const other = yanked?.other ?? null;
    out(other === null ? why : advise`${why}. To take ${clean(other)}: ${drwn("update", name, "--latest")}`);
  }
  if (changed.length === 0) {
    if (left.length === 0) out("Already up to date");
    return;
  }
  if (dryRun) out(`${plural(changed.length, "card")} would change`);
  else out(`${plural(changed.length, "card")} updated`);
}

function isChanged({ before, version, range, rangeBefore, changed }: UpdatedCard): boolean {
  return changed || before !== version || range !== rangeBefore;
}

function describeStep(card: UpdatedCard, scope: CommandScope): string {
  const { name, before, version, range, rangeBefore, changed, consent } = card;
  const moved = range === rangeBefore ? "" : `, asked for as ${clean(range)} instead of ${clean(rangeBefore)}`;
  const hooks = consent === null ? "" : `; hooks: ${describeConsent(consent, scope)}`;
  const isOther = changed && before === version;
  const from = before === null ? "" : isOther ? "other contents of " : `${clean(before)} → `;
  return `${clean(name)} ${from}${clean(version)}${moved}${hooks}`;
}

type Chosen = Pick<UpdateRequest, "names" | "latest">;

/** The updates that a person picks from a list; null: there is nothing to update. */
async function chooseUpdates(host: Host, names: readonly string[], console: Console): Promise<Chosen | null> {
  const { choices, unusable } = await listUpdateChoices(host, names);
  host.progress("");
  for (const { name, version, problem } of unusable)
    console.talk(`${clean(name)}@${clean(version)} isn't offered: ${clean(problem, 1000)}`);
  if (choices.length === 0) return null;
  const keys = await chooseFromGroups("Which updates do you want?", groupsOf(choices, host.scope), {
    flag: "",
    command: drwn("update", "-i"),
    doing: "choosing updates",
  });
  const chosen = choices.filter((choice) => keys.includes(keyOf(choice)));
  return {
    names: [...new Set(chosen.map(({ name }) => name))],
    latest: new Set(chosen.filter(({ isLatest }) => isLatest).map(({ name }) => name)),
  };
}

const GROUPS = {
  patch: "Patch",
  minor: "Minor",
  major: "Major",
  none: "Other contents, or an older version",
} as const satisfies Record<UpdateChoice["bump"], string>;

function groupsOf(choices: readonly UpdateChoice[], scope: CommandScope): Record<string, Choice[]> {
  const kinds = Object.keys(GROUPS) as UpdateChoice["bump"][];
  const groups = kinds.map(
    (kind) =>
      [GROUPS[kind], choices.filter(({ bump }) => bump === kind).map((choice) => toChoice(choice, scope))] as const,
  );
  return Object.fromEntries(groups.filter(([, inIt]) => inIt.length > 0));
}

function keyOf({ name, version }: UpdateChoice): string {
  return `${name}@${version}`;
}

/** The label says everything that a person must know: a hint is shown beside one line only. */
function toChoice(choice: UpdateChoice, scope: CommandScope): Choice {
  const { name, before, version, range, rangeBefore, consent } = choice;
  const moved = range === rangeBefore ? [] : [`asked for as ${clean(range)} from then on`];
  const about = [...moved, ...describeHooks(consent, scope)].join("; ");
  const from = before === null ? "" : `${clean(before)} → `;
  const label = `${clean(name)} ${from}${clean(version)}${about === "" ? "" : ` (${about})`}`;
  return { value: keyOf(choice), label, hint: clean(consent?.reason ?? "", 400) };
}

function describeHooks(consent: UpdateChoice["consent"], scope: CommandScope): string[] {
  if (consent === null) return [];
  if (consent.state === "off") return ["its hooks aren't active"];
  return [consent.state === "joins" ? "joins your consent" : describeConsent(consent, scope)];
}
