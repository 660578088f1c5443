import { type CommandScope, drwn } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { clean } from "../kernel/text.ts";
import { listUpdateChoices, type UpdateChoice, type UpdateRequest } from "../operations/project/update.ts";
import { describeConsent } from "./render/consents.ts";
import type { Console } from "./terminal/console.ts";
import { type Choice, chooseFromGroups } from "./terminal/prompt.ts";

type Chosen = Pick<UpdateRequest, "names" | "latest">;

/** The updates that a person picks from a list; null: there are none to pick from. */
export async function chooseUpdates(host: Host, names: readonly string[], console: Console): Promise<Chosen | null> {
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
