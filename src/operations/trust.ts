import { isRestrictOnly } from "../card/manifest.ts";
import { parseCardName } from "../card/name.ts";
import { isTooWide, parseRange, satisfies } from "../card/version.ts";
import { DEFAULT_TERMS, type Grant } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { type InstalledCard, readInstalled } from "../materialize/installed-card.ts";
import { type OpenProject, openProject, requireLockedCard } from "../materialize/open-project.ts";
import type { LockedCard } from "../project/lock.ts";
import { requestConsent } from "../project/trust-request.ts";
import { compileApproval, grantWith, keepBundles } from "../trust/approval.ts";
import { activeGrant, newLedger, withGrant, writeLedger } from "../trust/ledger-file.ts";
import { placeMarkers } from "../trust/project-key.ts";
import { type Review, reviewCard } from "../trust/review.ts";
import { requirePerson } from "./require-person.ts";
import { withProject } from "./with-project.ts";

export interface ConsentRequest {
  card: string;
  /** null: `^installed` */
  range: string | null;
}

/** What a person has to see before the consent. */
export function reviewConsent(host: Host, request: ConsentRequest): Review {
  const project = openProject(host);
  const { installed, range } = prepareConsent(host, project, request);
  const { locked, files, manifest } = installed;
  const { name: card, version, source, publisher, tree, hooks } = locked;
  const description = manifest.description ?? "";
  const former = activeGrant(project.ledger, card);
  return reviewCard({ card, version, source, publisher, tree, range, description, hooks, files }, former);
}

/** Records the consent to what was reviewed: a card that changed between the review and the yes is refused. */
export async function grantConsent(host: Host, review: Review): Promise<Grant> {
  requirePerson(host, "consent to hook policies", `drwn card trust ${review.card} --hooks`);
  return withProject(host, async (project) => {
    const request = { card: review.card, range: review.range };
    const { locked, files, manifest } = prepareConsent(host, project, request).installed;
    requireReviewed(review, locked);
    const { drwnHome: home } = host;
    const { key } = project;
    const former = activeGrant(project.ledger, locked.name);
    host.progress(`compiling ${locked.name}`);
    const terms = DEFAULT_TERMS;
    const { approval, bundles } = await compileApproval({
      offered: locked,
      files,
      hooks: terms.hooks,
      restrictOnly: isRestrictOnly(manifest),
      by: "person",
      now: host.now(),
    });
    keepBundles(home, key, bundles);
    const grant = grantWith(former, locked, { range: review.range, terms, approval });
    writeLedger(home, key, withGrant(project.ledger ?? newLedger(project.identity), grant));
    placeMarkers(home, project.identity, key);
    requestConsent(project.root, locked.name, review.range);
    return grant;
  });
}

function requireReviewed(review: Review, locked: LockedCard): void {
  for (const what of ["tree", "source"] as const) {
    if (locked[what] === review[what]) continue;
    throw new Problem("DRWN_CONSENT_NEEDED", `${review.card} changed while it was reviewed`, {
      details: [`reviewed: ${clean(review[what], 200)}`, `installed: ${clean(locked[what], 200)}`],
      hint: `drwn card trust ${review.card} --hooks`,
    });
  }
}

function prepareConsent(
  host: Host,
  project: OpenProject,
  request: ConsentRequest,
): { installed: InstalledCard; range: string } {
  const locked = requireLockedCard(project, parseCardName(request.card));
  if (locked.hooks.length === 0) {
    throw new Problem("DRWN_CARD_HAS_NO_HOOKS", `${locked.name}@${locked.version} has no hook policies to consent to`, {
      hint: "drwn write",
    });
  }
  const range = request.range === null ? `^${locked.version}` : parseRange(request.range);
  if (isTooWide(range)) {
    throw new Problem(
      "DRWN_RANGE_INVALID",
      `\`${range}\` would consent to every version of ${locked.name} there will ever be`,
      {
        hint: `drwn card trust ${locked.name} --hooks --range "^${locked.version}"`,
      },
    );
  }
  if (!satisfies(locked.version, range)) {
    throw new Problem(
      "DRWN_RANGE_EXCLUDES_VERSION",
      `\`${range}\` does not contain the installed ${locked.name}@${locked.version}`,
      {
        hint: `drwn card trust ${locked.name} --hooks --range "^${locked.version}"`,
      },
    );
  }
  return { installed: readInstalled(host.drwnHome, locked), range };
}

export { describeDifference } from "../trust/explain-wait.ts";
export type { Review, ReviewedHook } from "../trust/review.ts";
