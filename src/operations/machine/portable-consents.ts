import { compareVersions } from "../../card/version.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { type OpenProject, openProject } from "../../project/open/open-project.ts";
import { consentedHooks } from "../../trust/ceiling.ts";
import { activeGrant } from "../../trust/ledger-file.ts";
import { decideOptions, validOptions } from "../../trust/options.ts";
import { type PortableConsent, printTrustFile, readTrustFile, toPortable } from "../../trust/trust-file.ts";
import { grantConsents, type Review, reviewIn } from "../project/trust.ts";

/** The consents in force here as text for another machine's `--trust-file`. */
export function exportConsents(host: Host): { consents: PortableConsent[]; text: string } {
  const consents = portableConsentsOf(openProject(host));
  return { consents, text: printTrustFile(consents) };
}

export interface AcceptResult {
  accepted: { card: string; version: string; tree: string }[];
  /** Consents that changed nothing, and why. */
  passedOver: { card: string; why: "not-installed" | "consented-before" | "goes-back" | "withdrawn-here" }[];
}

/** Accepts consents from a file outside the project that only its owner can change. */
export function acceptTrustFile(host: Host, file: string): Promise<AcceptResult> {
  const project = openProject(host);
  return acceptConsents(host, project, readTrustFile(file, topOf(project)));
}

/** Consents to exactly this content of one card, as a build machine can be told on its command line. */
export function requireDigest(review: Review, digest: string): void {
  if (review.tree === digest) return;
  throw new Problem("DRWN_CONSENT_MISMATCH", `${review.card}@${review.version} is not what was consented to`, {
    details: [`consented to: ${digest}`, `installed:    ${review.tree}`],
    hint: advise`find out why it differs; to review it: ${drwn("card trust", review.card, "--hooks")}`,
  });
}

async function acceptConsents(
  host: Host,
  project: OpenProject,
  consents: readonly PortableConsent[],
): Promise<AcceptResult> {
  const passedOver: AcceptResult["passedOver"] = [];
  const wanted = consents.filter(({ card, tree }) => {
    const why = whyPassedOver(project, card, tree);
    if (why !== undefined) passedOver.push({ card, why });
    return why === undefined;
  });
  const reviews = wanted.map(({ card, range }) => reviewIn(host, project, { card, range }));
  const agreed = reviews.flatMap((review, at): Review[] => {
    const consent = wanted[at];
    return consent === undefined ? [] : [requireSame(review, consent)];
  });
  if (agreed.length > 0) await grantConsents(host, agreed, "trust-file");
  return { accepted: agreed.map(({ card, version, tree }) => ({ card, version, tree })), passedOver };
}

/**
 * What a person decided on this machine stays: a withdrawal, a consent to exactly this content, and one to a later
 * version. A file older than that consent, with a lock as old as itself, would take the guard back to an earlier
 * version.
 */
function whyPassedOver({ lock, ledger }: OpenProject, card: string, tree: string) {
  const locked = lock.cards.find(({ name }) => name === card);
  if (locked === undefined) return "not-installed";
  const grant = ledger?.grants.find((one) => one.card === card);
  if (grant !== undefined && grant.revokedAt !== null) return "withdrawn-here";
  const last = grant?.approved.at(-1);
  if (last !== undefined && compareVersions(locked.version, last.cardVersion) < 0) return "goes-back";
  return grant?.approved.some((approval) => approval.tree === tree) === true ? "consented-before" : undefined;
}

/** The review under the consent's terms, or under those that a person has chosen here before. */
function requireSame(review: Review, consent: PortableConsent): Review {
  requireDigest(review, consent.tree);
  for (const what of ["source", "publisher"] as const) {
    if (review[what] === consent[what]) continue;
    throw new Problem("DRWN_CONSENT_MISMATCH", `${review.card} has another ${what} than what was consented to`, {
      details: [`consented to: ${consent[what] ?? "none"}`, `installed:    ${review[what] ?? "none"}`],
    });
  }
  const { mode, hooks, askFallback, expiresAt, onYank, runtimes, skills: consented = {}, options = {} } = consent;
  const terms = review.formerTerms ?? { mode, hooks, askFallback, expiresAt, onYank, runtimes };
  // The person behind this consent may have been asked only about the hooks.
  const skills = review.skills.filter(
    ({ name, digest }) => Object.hasOwn(consented, name) && consented[name] === digest,
  );
  // Like the terms, the options that a person has set here stay.
  if (review.formerTerms !== null) return { ...review, terms, skills };
  const concerned = consentedHooks(review.hooks, hooks);
  const set = validOptions(concerned, options);
  return { ...review, terms, skills, options: decideOptions({ hooks: concerned, set, former: undefined }) };
}

function portableConsentsOf({ ledger }: OpenProject): PortableConsent[] {
  return (ledger?.grants ?? []).flatMap((grant) => {
    if (activeGrant(ledger, grant.card) === undefined) return [];
    return toPortable(grant) ?? [];
  });
}

/** The repository around the project: a file in it is committed as easily as one in the project. */
function topOf({ identity: { path: root, gitPath } }: OpenProject): string {
  return gitPath === null || gitPath === "" ? root : root.slice(0, -gitPath.length - 1);
}
