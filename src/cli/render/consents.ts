import { advise, type CommandScope, drwn, sayIn, type Text } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { ListedConsent, LoggedConsents, listConsents, showConsent } from "../../operations/machine/consents.ts";
import type { HookConsent, ListedCard } from "../../operations/project/list.ts";
import { isLoosened, printOption } from "../../operations/project/trust.ts";
import { type CommandAnswer, EXIT } from "../terminal/console.ts";
import { localTime } from "../terminal/style.ts";
import { renderHook } from "./hook.ts";
import { renderTable } from "./table.ts";
import { describeLess } from "./write.ts";

/** What was consented to in a project, and what it still asks for. */
export function answerConsents(
  listed: ReturnType<typeof listConsents> & { waiting: readonly string[] },
  host: Host,
): CommandAnswer {
  return {
    json: listed,
    print: ({ out, talk, room }) => {
      const { consents, asked, askedOptions, pausedUntil, waiting } = listed;
      const rows = consents.map((one) => [one.card, one.version ?? "", one.range, one.mode, stateOf(one, host.now())]);
      for (const row of renderTable(["card", "version", "range", "mode", "state"], rows, room)) out(row);
      for (const { card, range, isInstalled } of asked) {
        out(
          `${clean(card)} is asked for in the range ${clean(range)}${isInstalled ? "" : ", and is not in card.lock"}`,
        );
      }
      for (const one of askedOptions) out(describeAskedOption(one));
      if (pausedUntil !== null)
        out(advise`Paused until ${localTime(pausedUntil)}: no hook policy runs. To end it: ${drwn("pause", "--end")}`);
      out(
        waiting.length === 0
          ? "No card waits for your consent"
          : `Waiting for your consent: ${clean(waiting.join(", "), 1_000)}`,
      );
      if (waiting.length > 0 || asked.length > 0) talk(advise`Next: ${drwn("trust")}`);
    },
  };
}

function describeAskedOption(one: ReturnType<typeof listConsents>["askedOptions"][number]): Text {
  const { card, hook, option, value, outcome, expected } = one;
  if (isLoosened(one)) return describeLess(one);
  const about = `${clean(card)} is asked for with ${clean(printOption(hook, option, value), 400)}`;
  if (outcome === "tightens") return advise`${about}; next: ${drwn("write")}`;
  return `${about}, which it cannot have; expected: ${clean(expected ?? "", 200)}`;
}

function stateOf({ revokedAt, expiresAt, by }: ListedConsent, now: Date): string {
  if (revokedAt !== null) return `withdrawn ${localTime(revokedAt)}`;
  if (expiresAt !== null && Date.parse(expiresAt) <= now.getTime()) return `ended ${localTime(expiresAt)}`;
  return expiresAt === null ? `by ${by ?? "nobody"}` : `by ${by ?? "nobody"}, until ${localTime(expiresAt)}`;
}

/** Everything that is recorded about one consent. */
export function answerConsent(grant: ReturnType<typeof showConsent>): CommandAnswer {
  return {
    json: grant,
    print: ({ out, style }) => {
      out(style.bold(clean(grant.card)));
      out(`  range       ${clean(grant.range)}`);
      out(`  from        ${clean(grant.source)}`);
      out(`  publisher   ${grant.publisher === null ? "not signed" : clean(grant.publisher)}`);
      out(`  mode        ${grant.mode}, hooks: ${grant.hooks === null ? "all" : clean(grant.hooks.join(", "))}`);
      out(`  ask         where the agent cannot ask: ${grant.askFallback}`);
      out(`  yanked      ${grant.onYank}`);
      out(`  agents      ${grant.runtimes?.join(", ") ?? "all that are guarded"}`);
      out(
        `  granted     ${localTime(grant.grantedAt)}${grant.expiresAt === null ? "" : `, until ${localTime(grant.expiresAt)}`}`,
      );
      if (grant.revokedAt !== null) out(style.warn(`  withdrawn   ${localTime(grant.revokedAt)}`));
      for (const [name, facts] of Object.entries(grant.ceiling)) out(`  allows      ${renderHook({ name, ...facts })}`);
      for (const [hook, values] of Object.entries(grant.options ?? {})) {
        for (const [option, value] of Object.entries(values)) {
          out(`  option      ${clean(printOption(hook, option, value), 4_000)}`);
        }
      }
      for (const { cardVersion, tree, by, at } of grant.approved) {
        out(`  approved    ${clean(cardVersion)} by ${by}, ${localTime(at)}, ${clean(tree)}`);
      }
    },
  };
}

/** What becomes of a card's hook policies, in a few words. */
export function describeConsent(consent: HookConsent | null, scope: CommandScope): string {
  if (consent === null) return "none";
  switch (consent.state) {
    case "active":
      return `active (${consent.range})${describeAgents(consent)}${describeYank(consent)}`;
    case "unguarded":
      return `consented to (${consent.range}), ${describeHeld(consent)}`;
    case "joins":
      return `active after: ${sayIn(scope, drwn("write"))}`;
    case "waits":
      return `${describeInForce(consent)}${describeWait(consent)}`;
    case "refused":
      return `${describeInForce(consent)}is not what card.lock says`;
    case "off":
      return "not active";
  }
}

/** Why cards aren't in force: a line for each reason, with its cards. What the first line says of an agent isn't repeated. */
export function describeReasons(cards: readonly ListedCard[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { name, version, consent } of cards) {
    if (!consent?.reason || consent.state === "unguarded") continue;
    const reason = clean(consent.reason, 1000);
    byReason.set(reason, [...(byReason.get(reason) ?? []), `${clean(name)}@${clean(version)}`]);
  }
  return [...byReason].map(([reason, named]) => `${named.join(", ")}: ${reason}`);
}

function describeAgents({ inForceIn }: HookConsent): string {
  if (inForceIn === undefined) return "";
  return inForceIn.length === 0 ? ", for agents that aren't found here" : ` only in ${inForceIn.join(", ")}`;
}

function describeInForce(consent: HookConsent): string {
  return consent.inForce === null ? "" : `${consent.inForce} active${describeYank(consent)}, this one `;
}

function describeYank({ inForceYanked }: HookConsent): string {
  return inForceYanked ? ", yanked by its publisher" : "";
}

function describeHeld({ inForceIn = [] }: HookConsent): string {
  return inForceIn.length === 0 ? "NOT in force" : `in force only in ${inForceIn.join(", ")}`;
}

function describeWait({ joinsAt, review, yanked }: HookConsent): string {
  if (yanked) return "is yanked";
  if (joinsAt !== null) return `joins after ${joinsAt}`;
  return review === null ? "has no hooks" : "waits for a review";
}

/** Every change of consent, with those of how this machine takes consents. */
export function answerConsentLog(history: LoggedConsents): CommandAnswer {
  const { events, broken, machine } = history;
  const isSound = broken.length === 0 && machine.broken.length === 0;
  return {
    json: history,
    print: ({ out, talk, style, room }) => {
      const rows = [...events.map(rowOfConsent), ...machine.events.map(rowOfSettings)];
      rows.sort(([one], [other]) => (one === other ? 0 : one < other ? -1 : 1));
      const shown = rows.map(([time, ...rest]) => [localTime(time), ...rest]);
      for (const row of renderTable(["time", "what", "of", "how", "user"], shown, room)) out(row);
      if (rows.length === 0) talk("No change of consent yet");
      if (broken.length > 0) talk(`${style.bad("error:")} ${describeBroken("the log", broken)}`);
      if (machine.broken.length > 0)
        talk(`${style.bad("error:")} ${describeBroken("the log of this machine's settings", machine.broken)}`);
    },
    exitCode: isSound ? EXIT.done : EXIT.found,
  };
}

type Row = [time: string, what: string, of: string, how: string, user: string];

function rowOfConsent(event: LoggedConsents["events"][number]): Row {
  const { time, what, card, version, by, until, inForce, option, exception, user } = event;
  const of = `${card ?? "the project"}${version === null ? "" : `@${version}`}`;
  const parts = [
    option === undefined ? "" : clean(option, 400),
    exception === undefined ? "" : clean(exception, 600),
    by === null ? "" : `by ${by}`,
    until === null ? "" : `until ${localTime(until)}`,
    inForce === undefined ? "" : `${inForce} stays in force`,
  ];
  const how = parts.filter(Boolean).join(" ");
  return [time, what, of, how, user];
}

function rowOfSettings({
  time,
  ancestry,
  terminal,
  releaseAgeHours,
  user,
}: LoggedConsents["machine"]["events"][number]): Row {
  const how = `ancestry ${ancestry ? "on" : "off"}, terminal ${terminal ? "on" : "off"}, release age ${releaseAgeHours}`;
  return [time, "set", "this machine", how, user];
}

function describeBroken(which: string, lines: readonly number[]): string {
  return `${plural(lines.length, "line")} of ${which}: ${lines.join(", ")} do not follow from the line before`;
}
