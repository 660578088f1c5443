import { parseCardName } from "../card/name.ts";
import { compareVersions, satisfies } from "../card/version.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import type { OpenProject } from "../materialize/open-project.ts";
import { type ProjectConfig, withCard, writeConfig } from "../project/config.ts";
import { type LockedCard, writeLock } from "../project/lock.ts";
import type { PublishedVersion } from "../registry/registry.ts";
import { pickVersion, resolveCard } from "../registry/resolve.ts";
import { openRegistryOf } from "./card-registry.ts";
import { fetchCard } from "./fetch-card.ts";
import { describeConsents, type HookConsent } from "./list.ts";
import { pinPublishers } from "./publishers.ts";
import { withProject } from "./with-project.ts";

export interface UpdateRequest {
  /** Every card of the project when empty. */
  names: readonly string[];
  /** Past the range that the project asks for: the range follows. */
  latest: boolean;
  dryRun: boolean;
}

export interface Updated {
  dryRun: boolean;
  /** Every card that was looked at; `before` and `version` are the same where it stays. */
  cards: UpdatedCard[];
}

export interface UpdatedCard {
  name: string;
  /** null: it was asked for, and not locked yet. */
  before: string | null;
  version: string;
  range: string;
  rangeBefore: string;
  deprecated: string | null;
  /** What becomes of its hooks; null: it has none, or it is a dry run. */
  consent: HookConsent | null;
}

/**
 * Locks the highest version of each card inside its range, or with `latest` the highest there is. All of them, or none. A
 * card never goes back to a lower version, unless the one that is locked was yanked. Nothing of a card is run.
 */
export async function updateCards(host: Host, request: UpdateRequest): Promise<Updated> {
  return withProject(host, async (project) => {
    const steps: Step[] = [];
    for (const name of requireAsked(project, request.names)) {
      host.progress(`looking for updates of ${name}`);
      steps.push(await findStep(host, project, { name, latest: request.latest }));
    }
    const { dryRun } = request;
    if (dryRun) return { dryRun, cards: steps.map((step) => describe(step, undefined)) };
    const next = await takeSteps(host, project, steps);
    const consents = describeConsents({ ...project, ...next });
    return { dryRun, cards: steps.map((step) => describe(step, consents)) };
  });
}

/** What is to be done about one card. */
interface Step {
  name: string;
  locked: LockedCard | undefined;
  /** Undefined: it stays as it is locked. */
  published: PublishedVersion | undefined;
  range: string;
  rangeBefore: string;
  deprecated: string | null;
}

function requireAsked({ config, root }: OpenProject, names: readonly string[]): string[] {
  const asked = Object.keys(config.cards);
  if (names.length === 0) return asked;
  return [...new Set(names.map(parseCardName))].map((name) => {
    if (asked.includes(name)) return name;
    throw new Problem("DRWN_CARD_NOT_INSTALLED", `${root} does not ask for ${name}`, {
      details: asked.length > 0 ? [`it asks for: ${asked.join(", ")}`] : [],
      hint: `drwn add ${name}`,
    });
  });
}

async function findStep(
  host: Host,
  { config, lock }: OpenProject,
  { name, latest }: { name: string; latest: boolean },
): Promise<Step> {
  const rangeBefore = config.cards[name] ?? "";
  const locked = lock.cards.find((card) => card.name === name);
  const registry = openRegistryOf(host, name);
  if (locked === undefined || !satisfies(locked.version, rangeBefore)) {
    const published = await resolveCard(registry, name, latest ? null : rangeBefore);
    return { name, locked, published, ...rangeFor(published.version, rangeBefore), deprecated: published.deprecated };
  }
  const versions = await registry.versions(name);
  const current = versions.find(({ version }) => version === locked.version);
  const found = pickVersion(versions, latest ? null : rangeBefore);
  const step = found === undefined ? 0 : compareVersions(found.version, locked.version);
  const published = step > 0 || (step < 0 && current?.yanked === true) ? found : undefined;
  const deprecated = (published ?? current)?.deprecated ?? null;
  return { name, locked, published, ...rangeFor((published ?? locked).version, rangeBefore), deprecated };
}

/** The project's range, where the version is inside it. */
function rangeFor(version: string, rangeBefore: string): Pick<Step, "range" | "rangeBefore"> {
  return { range: satisfies(version, rangeBefore) ? rangeBefore : `^${version}`, rangeBefore };
}

async function takeSteps(
  host: Host,
  project: OpenProject,
  steps: readonly Step[],
): Promise<Pick<OpenProject, "config" | "lock">> {
  let { cards } = project.lock;
  let config: ProjectConfig = project.config;
  const fetched: LockedCard[] = [];
  for (const { name, locked, published, range } of steps) {
    const card = published === undefined ? locked : await fetchCard(host, openRegistryOf(host, name), published);
    if (card === undefined) continue;
    if (published !== undefined) fetched.push(card);
    const at = cards.findIndex((one) => one.name === name);
    cards = at < 0 ? [...cards, { ...card, range }] : cards.with(at, { ...card, range });
    config = withCard(config, name, range);
  }
  const lock = { ...project.lock, cards };
  await pinPublishers(host, fetched);
  // The lock first: a lock that has more than the config asks for is brought back in step by `install`.
  if (JSON.stringify(lock) !== JSON.stringify(project.lock)) writeLock(project.root, lock);
  if (JSON.stringify(config) !== JSON.stringify(project.config)) writeConfig(project.root, config);
  return { config, lock };
}

function describe(step: Step, consents: ReadonlyMap<string, HookConsent> | undefined): UpdatedCard {
  const { name, locked, published, range, rangeBefore, deprecated } = step;
  const before = locked?.version ?? null;
  const version = published?.version ?? before ?? "";
  return { name, before, version, range, rangeBefore, deprecated, consent: consents?.get(name) ?? null };
}
