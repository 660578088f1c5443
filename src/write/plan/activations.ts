import { compareVersions } from "../../card/version.ts";
import { type Approval, type Grant, hasPassed, type Ledger } from "../../contract/ledger.ts";
import { drwn, type Text } from "../../kernel/advice.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { trace } from "../../kernel/trace.ts";
import type { LockedCard } from "../../project/lock.ts";
import { forProject, type MachineRules } from "../../project/open/join-facts.ts";
import { type Activation, decideActivation, type JoinFacts, lastInForce } from "../../trust/activation.ts";
import { activeGrant } from "../../trust/ledger-file.ts";

/** What `write` does with one card that has hooks. */
export interface CardActivation {
  card: string;
  /** null: the card isn't in the lock, but its guard stays. */
  locked: LockedCard | null;
  /** null: nobody consented, or the consent was revoked or has ended. */
  grant: Grant | null;
  activation: Activation | { state: "off"; why: "no-grant" | "revoked" | "expired" };
}

/** What a person runs to put a waiting version in force. After a yank, the same terms could make it stand down again. */
export function commandToReview({ card, grant, activation }: CardActivation): Text {
  const isYanked = activation.state === "waits" && activation.why.because === "yanked";
  const terms = isYanked && grant?.onYank === "stand-down" ? ["--on-yank", "keep"] : [];
  return drwn("card trust", card, "--hooks", ...terms);
}

export function commandToBringBack(one: CardActivation): Text | null {
  const spec = specToBringBack(one);
  return spec === null ? null : drwn("add", spec);
}

/**
 * What the project should ask for again, since a guard left the lock, or went back in it, other than by a person, and is
 * still in force. Null: the project asks for what is in force, or for something later.
 */
export function specToBringBack(one: CardActivation): string | null {
  const { card, grant } = one;
  const inForce = approvalInForce(one);
  if (grant === null || inForce === undefined || (one.locked !== null && !isHeldBack(one))) return null;
  if (!OF_REGISTRY.test(grant.source)) return shellQuote(clean(grant.source, 1_000));
  return `${card}@^${inForce.cardVersion}`;
}

const OF_REGISTRY = /^(?:folder|npm|static|drwn):/u;

/**
 * One answer for each card with hooks or a consent, in lock order; then the guards that left the lock without `remove`
 * or `untrust`: they stay, since removing a guard weakens the project.
 */
export function decideActivations(
  cards: readonly LockedCard[],
  ledger: Ledger | undefined,
  machine: MachineRules,
): CardActivation[] {
  const joinFacts = forProject(machine, ledger);
  // If a card has a consent, a version without hooks would take its guard away: it waits like any other difference.
  const concerned = cards.filter(({ name, hooks }) => hooks.length > 0 || activeGrant(ledger, name) !== undefined);
  const locked = concerned.map((card) => activate(card, ledger, joinFacts));
  const names = new Set(cards.map(({ name }) => name));
  const dropped = (ledger?.grants ?? []).flatMap((grant): CardActivation[] => {
    const approval = lastInForce(grant);
    const isOver = grant.revokedAt !== null || hasPassed(grant.expiresAt, joinFacts.now.getTime());
    if (isOver || approval === undefined || names.has(grant.card)) return [];
    // Skills aren't guards: they leave with their card.
    if (approval.hooks.length === 0) return [];
    return [{ card: grant.card, locked: null, grant, activation: { state: "active", approval } }];
  });
  const decided = [...locked, ...dropped];
  for (const one of decided) trace("decide", () => describe(one));
  return decided;
}

function describe({ card, locked, activation }: CardActivation): string {
  const name = `${card}${locked === null ? ", which left the lock" : `@${locked.version}`}`;
  const why = !("why" in activation)
    ? ""
    : typeof activation.why === "string"
      ? activation.why
      : activation.why.because;
  return `${name}: ${activation.state}${why === "" ? "" : ` (${why})`}`;
}

/** The approval whose policies run until the next `write`: if a version joins, that of the version that it replaces. */
export function approvalInForce({
  activation,
  grant,
}: Pick<CardActivation, "activation" | "grant">): Approval | undefined {
  if (activation.state === "joins") return grant === null ? undefined : lastInForce(grant);
  return activation.state === "off" ? undefined : activation.approval;
}

/**
 * Whether the lock went back from what is in force. That stays: only a person can take a guard back. Nobody is led back to
 * a version that its publisher yanked.
 */
export function isHeldBack({ grant, locked, activation }: CardActivation): boolean {
  const last = grant?.approved.at(-1);
  if (activation.state !== "waits" || grant === null || locked === null || last === undefined) return false;
  if (last.yankedAt !== null) return false;
  const step = compareVersions(locked.version, last.cardVersion);
  // A linked folder keeps its version whatever happens to its contents.
  return step < 0 || (step === 0 && grant.approved.some(({ tree }) => tree === locked.tree));
}

function activate(locked: LockedCard, ledger: Ledger | undefined, joinFacts: JoinFacts): CardActivation {
  const grant = ledger?.grants.find(({ card }) => card === locked.name) ?? null;
  if (grant === null || grant.revokedAt !== null) {
    const why = grant === null ? "no-grant" : "revoked";
    return { card: locked.name, locked, grant: null, activation: { state: "off", why } };
  }
  if (hasPassed(grant.expiresAt, joinFacts.now.getTime())) {
    return { card: locked.name, locked, grant: null, activation: { state: "off", why: "expired" } };
  }
  return { card: locked.name, locked, grant, activation: decideActivation(grant, locked, joinFacts) };
}
