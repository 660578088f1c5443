import { findAdapter } from "../../agents/adapters.ts";
import { targetsOf } from "../../agents/targets.ts";
import { isRestrictOnly, skillsOf } from "../../card/manifest.ts";
import { isTaken } from "../../card/matcher.ts";
import { parseCardName } from "../../card/name.ts";
import { checkSkills } from "../../card/skill/skill.ts";
import { codeSkillsOf } from "../../card/skill/skill-code.ts";
import { type SourceText, sourceTexts } from "../../card/source/source.ts";
import { isTooWide, MOST_MAJORS, parseRange, satisfies } from "../../card/version.ts";
import type { Approval, Grant, HookFacts, Ledger, Terms } from "../../contract/ledger.ts";
import { drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import type { AgentId } from "../../policy/event.ts";
import { isLifecycleEvent } from "../../policy/lifecycle-events.ts";
import type { LockedCard } from "../../project/lock.ts";
import { type InstalledCard, readInstalled } from "../../project/open/installed-card.ts";
import { readJoinFacts } from "../../project/open/join-facts.ts";
import {
  commitProject,
  type OpenProject,
  openToDecide,
  requireLockedCard,
  withProject,
} from "../../project/open/open-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { editNewRequests, readTrustRequest } from "../../project/trust-request.ts";
import { isStored, readStored } from "../../registry/store.ts";
import { buildGrant, type CompiledApproval, compileApproval, keepBundles } from "../../trust/approval.ts";
import { activeGrant, newLedger, prepareLedger, replaceGrant, replacementLedger } from "../../trust/ledger-file.ts";
import { mergeOptions, readTyped, type TypedOption, validOptions } from "../../trust/options.ts";
import { editMarkers } from "../../trust/project-key.ts";
import { isSeenFrom, readRelease } from "../../trust/releases.ts";
import { type AskOutcome, type Review, reviewCard } from "../../trust/review.ts";
import { decideTerms, type RequestedTerms } from "../../trust/terms.ts";
import { NOTHING_WRITTEN, readWriteRecord } from "../../wiring/write-record.ts";
import { wantedAgents } from "../../write/plan-wiring.ts";

export interface ConsentRequest extends RequestedTerms {
  card: string;
  /** null: `^installed`; "installed": exactly the installed version. */
  range: string | null;
  /** Options that a person sets. */
  options?: readonly TypedOption[];
  /**
   * Whether the yes covers the options' values that the project asks for; otherwise it covers only those that make a
   * guard stricter.
   */
  takesAskedOptions?: boolean;
}

/** What a person has to see before they consent. */
export function reviewConsent(host: Host, request: ConsentRequest): Review {
  return reviewIn(host, openToDecide(host), request);
}

/** The same for several cards. */
export function reviewConsents(host: Host, requests: readonly ConsentRequest[]): Review[] {
  const project = openToDecide(host);
  return requests.map((request) => reviewIn(host, project, request));
}

/** The same in a project that is open already. */
export function reviewIn(host: Host, project: OpenProject, request: ConsentRequest): Review {
  const { drwnHome: home, now } = host;
  const { installed, range } = prepareConsent(host, project, request);
  const { locked, files, manifest } = installed;
  const { name: card, version, source, publisher, tree, hooks } = locked;
  const former = activeGrant(project.ledger, card);
  const { publishedBy, releaseAgeHours } = readJoinFacts(host);
  const release = readRelease(home, tree);
  const offered = hooks.map(({ name }) => name);
  const asked = readTrustRequest(project.root).requests[card]?.options ?? {};
  const typed = readTyped(card, hooks, request.options ?? []);
  const options = request.takesAskedOptions === true ? mergeOptions(validOptions(hooks, asked), typed) : typed;
  return reviewCard(
    {
      ...{ card, version, source, publisher, tree, range, hooks, files, releaseAgeHours, options, asked },
      isSourceSeen: isSeenFrom(home, locked),
      publishedBy: publishedBy(locked),
      isOfProject: !project.isGlobal,
      unaskedOf: (wanted, terms) => unaskedIn(agentsFor(host, project, terms), wanted),
      asksOf: (terms) => asksIn(agentsFor(host, project, terms), terms),
      yanked: (release?.yankedAt ?? null) !== null,
      deprecated: release?.deprecated ?? null,
      description: manifest.description ?? "",
      terms: termsFor(host, decideTerms({ asked: request, former, card, offered, now: now() })),
      restrictOnly: isRestrictOnly(manifest),
      skills: codeSkillsOf(files, manifest),
      filesOf: (approval) => (isStored(home, approval.tree) ? readStored(home, approval.tree) : undefined),
    },
    former,
  );
}

/** The agents that are or would be guarded under these terms. */
function agentsFor(host: Host, project: OpenProject, { runtimes }: Terms): AgentId[] {
  const written = readWriteRecord(host.drwnHome, project.key) ?? NOTHING_WRITTEN;
  const guarded = wantedAgents(host, project, { written }).runtimes;
  return guarded.filter((runtime) => runtimes?.includes(runtime) !== false);
}

function asksIn(agents: readonly AgentId[], { askFallback }: Terms): AskOutcome[] {
  return agents.flatMap((runtime) => {
    const adapter = findAdapter(runtime);
    if (adapter === undefined) return [];
    const { title, can, onlyIf = {} } = adapter;
    const asks = can.ask && onlyIf.ask === undefined;
    return [{ title, becomes: asks ? "ask" : askFallback, unless: asks ? null : (onlyIf.ask ?? null) }];
  });
}

/** What the agents do like a tool that these hooks want, without asking anybody. */
function unaskedIn(agents: readonly AgentId[], hooks: readonly HookFacts[]): string[] {
  return targetsOf(agents).flatMap(({ unasked }) =>
    unasked !== undefined && hooks.some((hook) => wantsTool(hook, unasked.like)) ? [unasked.what] : [],
  );
}

function wantsTool({ phases, matcher }: HookFacts, tool: string): boolean {
  return !phases.some(isLifecycleEvent) && isTaken(matcher, tool);
}

/**
 * With --system a card can only say no: the entries of two scopes answer one call, and neither sees the other's answer.
 */
function termsFor({ scope }: Host, terms: Terms): Terms {
  return scope === "system" && terms.mode === "enforce" ? { ...terms, mode: "restrict-only" } : terms;
}

/** The files of a reviewed card as text, exactly those of the review. */
export function readReviewed(host: Host, review: Review): SourceText[] {
  const locked = requireLockedCard(openToDecide(host), review.card);
  requireReviewed(review, locked);
  return sourceTexts(readInstalled(host.drwnHome, locked).files, review.hooks);
}

/** Records the consent to what was reviewed: a card that changed between the review and the yes is refused. */
export async function grantConsent(host: Host, review: Review): Promise<Grant> {
  const [grant] = await grantConsents(host, [review]);
  if (grant === undefined) throw new Error(`no consent to ${review.card} was recorded`);
  return grant;
}

/** Records the consents to all reviewed cards, or to none. */
export async function grantConsents(
  host: Host,
  reviews: readonly Review[],
  by: Approval["by"] = "person",
): Promise<Grant[]> {
  const names = reviews.map(({ card }) => card);
  requirePerson(host, "consent to hook policies", drwn("card trust", ...names, "--hooks"));
  const record = async (project: OpenProject): Promise<Grant[]> => {
    const { drwnHome: home } = host;
    const { key, identity, root } = project;
    const consents = await inTurns(reviews, (review) => compileConsent(host, project, { review, by }));
    let ledger = ledgerFor(project);
    for (const { grant, bundles } of consents) {
      keepBundles(home, key, bundles);
      ledger = replaceGrant(ledger, grant);
    }
    const grants = consents.map(({ grant }) => grant);
    commitProject(host, project, [
      prepareLedger(home, key, ledger),
      ...editMarkers(home, identity, key),
      // A consent that came from a file concerns only this machine.
      ...(by === "person" && !project.isGlobal ? editNewRequests(root, grants) : []),
    ]);
    return grants;
  };
  return withProject(host, record, openToDecide);
}

/** A yes given in this folder is for this folder, even if another one was here before. */
function ledgerFor({ ledger, identity, isLedgerLost }: OpenProject): Ledger {
  if (ledger === undefined) return isLedgerLost ? replacementLedger(identity) : newLedger(identity);
  return ledger.project.path === identity.path ? { ...ledger, project: identity } : ledger;
}

/** The compiler takes many cards at once, but the files of all of them would take too much memory. */
const AT_ONCE = 8;

async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}

async function compileConsent(
  host: Host,
  project: OpenProject,
  { review, by }: { review: Review; by: Approval["by"] },
): Promise<{ grant: Grant; bundles: CompiledApproval["bundles"] }> {
  const { terms, range } = review;
  const { locked, files, manifest } = prepareConsent(host, project, { card: review.card, range }).installed;
  requireReviewed(review, locked);
  host.progress(`compiling ${locked.name}`);
  const restrictOnly = isRestrictOnly(manifest);
  const skills = codeSkillsOf(files, manifest).filter((skill) =>
    review.skills.some(({ name, digest }) => name === skill.name && digest === skill.digest),
  );
  const isOurs = readJoinFacts(host).publishedBy(locked) === "drwn";
  const about = { offered: locked, files, hooks: terms.hooks, restrictOnly, skills, by, isOurs, now: host.now() };
  const { approval, bundles } = await compileApproval(about);
  const former = activeGrant(project.ledger, locked.name);
  const { options } = review;
  return { grant: buildGrant(former, locked, { range, terms, approval, skills, options }), bundles };
}

function requireReviewed(review: Review, locked: LockedCard): void {
  for (const what of ["tree", "source"] as const) {
    if (locked[what] === review[what]) continue;
    throw new Problem("DRWN_CONSENT_NEEDED", `${review.card} changed while it was reviewed`, {
      details: [`reviewed: ${clean(review[what], 200)}`, `installed: ${clean(locked[what], 200)}`],
      hint: drwn("card trust", review.card, "--hooks"),
    });
  }
}

function rangeOf(asked: string | null, installed: string): string {
  if (asked === "installed") return `=${installed}`;
  return asked === null ? `^${installed}` : parseRange(asked);
}

function prepareConsent(
  host: Host,
  project: OpenProject,
  request: Pick<ConsentRequest, "card" | "range">,
): { installed: InstalledCard; range: string } {
  const locked = requireLockedCard(project, parseCardName(request.card));
  const installed = readInstalled(host.drwnHome, locked);
  const { files, manifest } = installed;
  checkSkills(files, skillsOf(manifest));
  if (locked.hooks.length === 0 && codeSkillsOf(files, manifest).length === 0) {
    throw new Problem(
      "DRWN_CARD_HAS_NO_HOOKS",
      `${locked.name}@${locked.version} has no hook policies to consent to, and its skills are only text`,
      { hint: drwn("write") },
    );
  }
  const range = rangeOf(request.range, locked.version);
  if (isTooWide(range, locked.version)) {
    throw new Problem(
      "DRWN_RANGE_INVALID",
      `\`${range}\` covers more than ${MOST_MAJORS} major versions from ${locked.name}@${locked.version} on, or has no end`,
      {
        hint: drwn("card trust", locked.name, "--hooks", "--range", `"^${locked.version}"`),
      },
    );
  }
  if (!satisfies(locked.version, range)) {
    throw new Problem(
      "DRWN_RANGE_EXCLUDES_VERSION",
      `\`${range}\` does not contain the installed ${locked.name}@${locked.version}`,
      {
        hint: drwn("card trust", locked.name, "--hooks", "--range", `"^${locked.version}"`),
      },
    );
  }
  return { installed, range };
}

export { ASK_FALLBACKS, type AskFallback, DEFAULT_TERMS } from "../../contract/ledger.ts";
export { describeDifference } from "../../trust/activation.ts";
export { isWeaker } from "../../trust/ceiling.ts";
export { explainLess, isLoosened, parseTyped, printOption, type TypedOption } from "../../trust/options.ts";
export type { Review, ReviewedHook, ReviewedSkill } from "../../trust/review.ts";
export type { RequestedTerms } from "../../trust/terms.ts";
