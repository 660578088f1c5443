import path from "node:path";
import { readSources } from "../../authoring/find-source.ts";
import { type CardUnderTest, findCard, hooksInForce } from "../../authoring/proving/find-hooks.ts";
import { type CardTest, testCard } from "../../authoring/proving/test-card.ts";
import { listUnlistedHooks } from "../../card/source/inspect.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";

export interface CardTestRequest {
  card: CardUnderTest;
  hook?: string | undefined;
  /** A person has said that the card's code may run here. */
  isAllowed: boolean;
  mutates?: boolean;
  /** Every guard in force in the project has to allow what the reasons propose, too. */
  isStacked?: boolean;
}

/** Why a person has to say yes before cases are run; null: nobody has to. */
export type Reservation = "unapproved" | "needs-capabilities" | null;

/** A folder in `hooks` that card.json doesn't list, so that nothing of it is tested, and the command that lists it. */
export interface UnlistedHook {
  hook: string;
  command: string;
}

export interface SourceCardTest extends CardTest {
  unlisted: UnlistedHook[];
}

export type { CardTest, CardUnderTest };
export { findCard };

/**
 * A source is its author's own code, and code that was consented to runs anyway. Neither gets capabilities unless a
 * person says so.
 */
export function reservationOf({ from, isApproved, hooks }: CardUnderTest): Reservation {
  if (from !== "source" && !isApproved) return "unapproved";
  return hooks.some(({ capabilities }) => capabilities.length > 0) ? "needs-capabilities" : null;
}

/**
 * Runs the cases of a card. A card from elsewhere that nobody approved gets no capability, whatever a person says. A guard fails
 * its test if no case was run: it has none, or card.json lists none of its hooks.
 */
export async function runCardTest(
  host: Host,
  { card, hook, isAllowed, isStacked = false, ...wanted }: CardTestRequest,
): Promise<SourceCardTest> {
  host.progress(`running the cases of ${card.manifest.name}`);
  const unlisted = listUnlisted(host, card);
  const named = unlisted.find((one) => one.hook === hook);
  if (named !== undefined) {
    throw new Problem(
      "DRWN_HOOK_MISSING",
      `the card.json of ${card.manifest.name} doesn't list the hook \`${clean(named.hook)}\``,
      {
        hint: named.command,
      },
    );
  }
  const isOwn = card.from === "source" || card.isApproved;
  const without = "it declares capabilities, which";
  const unreached = isOwn ? `${without} it gets with --run` : `${without} nobody consented to here`;
  // This card is about to replace its own version in force.
  const others = isStacked ? hooksInForce(host).filter(({ policy }) => policy.card !== card.manifest.name) : [];
  const reach = isAllowed && isOwn ? null : unreached;
  const tested = await testCard({ card, hook, ...wanted, stack: others, unreached: reach });
  const isGuard = card.hooks.some(({ kind }) => kind === "enforcement");
  const isMissed = tested.results.length === 0 && (isGuard || (hook === undefined && unlisted.length > 0));
  return { ...tested, unlisted: hook === undefined ? unlisted : [], ok: tested.ok && !isMissed };
}

function listUnlisted(host: Host, { folder, manifest }: CardUnderTest): UnlistedHook[] {
  if (folder === null) return [];
  const isKnown = readSources(host).get(manifest.name) === folder;
  const place = isKnown ? manifest.name : shellQuote(path.relative(host.cwd, folder) || ".");
  return listUnlistedHooks(folder, manifest).map((hook) => {
    return { hook, command: `drwn card source add-hook ${place} ${shellQuote(hook)}` };
  });
}
