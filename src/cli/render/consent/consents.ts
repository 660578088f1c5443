import { advise, drwn, type Text } from "../../../kernel/advice.ts";
import type { Host } from "../../../kernel/host.ts";
import { clean } from "../../../kernel/text.ts";
import type { ListedConsent, listConsents, showConsent } from "../../../operations/machine/consents.ts";
import { isLoosened, printOption } from "../../../operations/project/trust.ts";
import type { CommandAnswer } from "../../terminal/answer.ts";
import { localTime } from "../../terminal/local-time.ts";
import { renderHook } from "../hook.ts";
import { describeLess } from "../loosened.ts";
import { renderTable } from "../table.ts";

/** What was consented to in a project, and what it still asks for. */
export function answerConsents(listed: ReturnType<typeof listConsents>, host: Host): CommandAnswer {
  return {
    json: listed,
    print: ({ out, talk, room }) => {
      const { consents, asked, askedOptions, pausedUntil } = listed;
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
      if (consents.length === 0 && asked.length === 0) talk("Nothing was consented to, and nothing is asked for");
      if (asked.length > 0) talk("Next: drwn trust accept");
    },
  };
}

function describeAskedOption(one: ReturnType<typeof listConsents>["askedOptions"][number]): Text {
  const { card, hook, option, value, fate, expected } = one;
  if (isLoosened(one)) return describeLess(one);
  const about = `${clean(card)} is asked for with ${clean(printOption(hook, option, value), 400)}`;
  if (fate === "tightens") return advise`${about}; next: ${drwn("write")}`;
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
