import { compareVersions, isRange } from "../../card/version.ts";
import type { Host } from "../../kernel/host.ts";
import {
  applyYanks,
  type LockContext,
  noteListed,
  openListed,
  rememberScopes,
  resolveRequested,
} from "../../project/fetch/lock-card.ts";
import { openProject, withProject } from "../../project/open/open-project.ts";
import type { PublishedVersion } from "../../registry/registry.ts";
import { pickVersion, restedVersions } from "../../registry/resolve.ts";
import { latestRelease } from "../preferences.ts";
import { describeConsents, type HookConsent } from "./list.ts";

/** A card about which there is something to do or to know. */
export interface OutdatedCard {
  name: string;
  /** What config.json asks for. */
  range: string;
  /** null: it is not locked yet. */
  installed: string | null;
  /** The highest version in the range; null: none is left. */
  wanted: string | null;
  /** The highest version of all. */
  latest: string | null;
  /** Of the installed version. */
  deprecated: string | null;
  yanked: boolean;
  /** Set if the installed version waits for a person: an earlier one, or none, is in force. */
  waits: HookConsent | null;
}

/** The cards that are behind, deprecated, yanked, or waiting for a review. Changes nothing but the notes about yanks. */
export async function listOutdated(host: Host): Promise<{ cards: OutdatedCard[] }> {
  const project = openProject(host);
  const place = { host, base: project.root, registryOf: rememberScopes(host), isLook: true };
  const cards: Omit<OutdatedCard, "waits">[] = [];
  for (const [name, range] of Object.entries(project.config.cards)) {
    host.progress(`looking for updates of ${name}`);
    const installed = project.lock.cards.find((card) => card.name === name)?.version ?? null;
    const { published, pick } = await lookUpVersions(place, { name, request: range, installed });
    noteListed(host, published);
    const current = published.find(({ version }) => version === installed);
    // `update` also goes down from a yanked version.
    const least = current?.yanked === true ? null : installed;
    cards.push({
      name,
      range,
      installed,
      wanted: atLeast(least, pick(range)?.version ?? null),
      latest: atLeast(least, pick(null)?.version ?? null),
      deprecated: current?.deprecated ?? null,
      yanked: current?.yanked ?? false,
    });
  }
  // Applies the yanks first: they change what a version waits for.
  const consents = await withProject(host, (now) =>
    describeConsents(host, { lock: now.lock, ledger: applyYanks(host, now) }),
  );
  const waitOf = (name: string) => {
    const consent = consents.get(name);
    return consent?.state === "waits" ? consent : null;
  };
  return { cards: cards.map((card) => ({ ...card, waits: waitOf(card.name) })).filter(isNotable) };
}

interface Offer {
  published: PublishedVersion[];
  /** The version that `update` would take. */
  pick: (range: string | null) => PublishedVersion | undefined;
}

interface CardToCheck {
  name: string;
  request: string;
  installed: string | null;
}

/** A source offers the one version that the request picks out. */
async function lookUpVersions(place: LockContext, { name, request, installed }: CardToCheck): Promise<Offer> {
  if (isRange(request)) {
    const published = await (await openListed(place, name)).versions(name);
    const rested = restedVersions(published, latestRelease(place.host), installed);
    return { published, pick: (range) => pickVersion(rested, range) };
  }
  const { published } = await resolveRequested(place, { name, request });
  return { published: [published], pick: () => published };
}

function isNotable({ installed, wanted, latest, deprecated, yanked, waits }: OutdatedCard): boolean {
  return installed !== wanted || installed !== latest || deprecated !== null || yanked || waits !== null;
}

/** A project with a prerelease is ahead of the highest release, not behind it. */
function atLeast(installed: string | null, found: string | null): string | null {
  if (installed === null || found === null) return found;
  return compareVersions(found, installed) < 0 ? installed : found;
}
