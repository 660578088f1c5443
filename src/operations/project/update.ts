import { parseCardName } from "../../card/name.ts";
import { type Bump, bumpBetween, compareVersions, isRange, satisfies } from "../../card/version.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { shellQuote } from "../../kernel/text.ts";
import { editConfig, type ProjectConfig, withCard } from "../../project/config.ts";
import {
  applyYanks,
  type LockContext,
  lockResolved,
  openListed,
  type ResolvedCard,
  rememberScopes,
  resolveRequested,
} from "../../project/fetch/lock-card.ts";
import { pinPublishers } from "../../project/fetch/restore-card.ts";
import { editLock, type LockedCard } from "../../project/lock.ts";
import { commitProject, type OpenProject, openProject, withProject } from "../../project/open/open-project.ts";
import { requireTerminal } from "../../project/open/require-person.ts";
import { pickVersion, restedVersions } from "../../registry/resolve.ts";
import { latestRelease } from "../preferences.ts";
import { describeConsents, type HookConsent } from "./list.ts";

export interface UpdateRequest {
  /** If empty, every card of the project. */
  names: readonly string[];
  /** Whether to go past the range that the project asks for, and move it: for all of the cards, or only for these. */
  latest: boolean | ReadonlySet<string>;
  dryRun: boolean;
}

export interface UpdateResult {
  dryRun: boolean;
  /** Every card that was looked at; if it stays, `before` and `version` are the same. */
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
  /** It stays although its publisher took it back: its range has no other version. `other` is outside of the range. */
  yanked: { other: string | null } | null;
  /** Whether other contents are locked; a folder's contents change without a new version. */
  changed: boolean;
  /** The state of its hooks; null: it has none, or this is a dry run. */
  consent: HookConsent | null;
}

/**
 * Locks the highest version of each card inside its range, or with `latest` the highest there is. All of them, or none.
 * A card never goes back to a lower version, unless the one that is locked was yanked. A card with a source of its own
 * follows that source. Runs nothing in a card.
 */
export async function updateCards(host: Host, request: UpdateRequest): Promise<UpdateResult> {
  return withProject(host, async (project) => {
    const place = { host, base: project.root, registryOf: rememberScopes(host), isLook: request.dryRun };
    const steps: UpdateStep[] = [];
    for (const name of requireRequested(project, request.names)) {
      host.progress(`looking for updates of ${name}`);
      const latest = typeof request.latest === "boolean" ? request.latest : request.latest.has(name);
      steps.push(await findStep(place, project, { name, latest }));
    }
    const { dryRun } = request;
    if (dryRun) return { dryRun, cards: steps.map((step) => describe(step, undefined)) };
    const next = await takeSteps(host, project, steps);
    applyYanks(host, project);
    const consents = describeConsents(host, { ...project, ...next });
    return { dryRun, cards: steps.map((step) => describe(step, consents)) };
  });
}

/** What to do about one card. */
interface UpdateStep {
  name: string;
  locked: LockedCard | undefined;
  /** Undefined: the locked version stays. */
  resolved: ResolvedCard | undefined;
  range: string;
  rangeBefore: string;
  deprecated: string | null;
  yanked?: UpdatedCard["yanked"];
}

function requireRequested({ config, root }: OpenProject, names: readonly string[]): string[] {
  const asked = Object.keys(config.cards);
  if (names.length === 0) return asked;
  return [...new Set(names.map(parseCardName))].map((name) => {
    if (asked.includes(name)) return name;
    throw new Problem("DRWN_CARD_NOT_INSTALLED", `${root} does not ask for ${name}`, {
      details: asked.length > 0 ? [`it asks for: ${asked.join(", ")}`] : [],
      hint: drwn("add", name),
    });
  });
}

interface UpdateTarget {
  name: string;
  latest: boolean;
}

async function findStep(
  place: LockContext,
  { config, lock }: OpenProject,
  { name, latest }: UpdateTarget,
): Promise<UpdateStep> {
  const rangeBefore = config.cards[name] ?? "";
  const locked = lock.cards.find((card) => card.name === name);
  if (!isRange(rangeBefore)) return followSource(place, locked, { name, request: rangeBefore });
  const isAnswered = locked !== undefined && isRange(locked.range) && satisfies(locked.version, rangeBefore);
  if (isAnswered) return findHigher(place, locked, { rangeBefore, latest });
  const resolved = await resolveRequested(place, { name, request: latest ? null : rangeBefore });
  const { version, deprecated } = resolved.published;
  return { name, locked, resolved, ...rangeFor(version, rangeBefore), deprecated };
}

async function findHigher(
  place: LockContext,
  locked: LockedCard,
  { rangeBefore, latest }: { rangeBefore: string; latest: boolean },
): Promise<UpdateStep> {
  const { name } = locked;
  const registry = await openListed(place, name);
  const versions = await registry.versions(name);
  const current = versions.find(({ version }) => version === locked.version);
  const rested = restedVersions(versions, latestRelease(place.host), locked.version);
  const found = pickVersion(rested, latest ? null : rangeBefore);
  const step = found === undefined ? 0 : compareVersions(found.version, locked.version);
  const published = step > 0 || (step < 0 && current?.yanked === true) ? found : undefined;
  const deprecated = (published ?? current)?.deprecated ?? null;
  const resolved = published === undefined ? undefined : { registry, published };
  const isLeft = published === undefined && current?.yanked === true;
  const yanked = isLeft ? { other: pickVersion(rested, null)?.version ?? null } : null;
  return { name, locked, resolved, ...rangeFor((published ?? locked).version, rangeBefore), deprecated, yanked };
}

async function followSource(
  place: LockContext,
  locked: LockedCard | undefined,
  { name, request }: { name: string; request: string },
): Promise<UpdateStep> {
  const resolved = await resolveRequested(place, { name, request });
  const { tree, commit, deprecated } = resolved.published;
  const isSame = locked?.range === request && locked.tree === tree && locked.commit === commit;
  return { name, locked, resolved: isSame ? undefined : resolved, range: request, rangeBefore: request, deprecated };
}

/** The project's range if the version is inside it, otherwise a new one. */
function rangeFor(version: string, rangeBefore: string): Pick<UpdateStep, "range" | "rangeBefore"> {
  return { range: satisfies(version, rangeBefore) ? rangeBefore : `^${version}`, rangeBefore };
}

async function takeSteps(
  host: Host,
  project: OpenProject,
  steps: readonly UpdateStep[],
): Promise<Pick<OpenProject, "config" | "lock">> {
  let { cards } = project.lock;
  let config: ProjectConfig = project.config;
  const fetched: LockedCard[] = [];
  for (const { name, locked, resolved, range } of steps) {
    const former = project.lock.cards;
    const card = resolved === undefined ? locked : await lockResolved(host, resolved, { range, former });
    if (card === undefined) continue;
    if (resolved !== undefined) fetched.push(card);
    const at = cards.findIndex((one) => one.name === name);
    cards = at < 0 ? [...cards, { ...card, range }] : cards.with(at, { ...card, range });
    config = withCard(config, name, range);
  }
  const lock = { ...project.lock, cards };
  await pinPublishers(host, fetched);
  const { root } = project;
  const isMoved = JSON.stringify(lock) !== JSON.stringify(project.lock);
  const isAskedOtherwise = JSON.stringify(config) !== JSON.stringify(project.config);
  commitProject(host, project, [
    ...(isMoved ? [editLock(root, lock)] : []),
    ...(isAskedOtherwise ? [editConfig(root, config)] : []),
  ]);
  return { config, lock };
}

function describe(step: UpdateStep, consents: ReadonlyMap<string, HookConsent> | undefined): UpdatedCard {
  const { name, locked, resolved, range, rangeBefore, deprecated, yanked = null } = step;
  const before = locked?.version ?? null;
  const version = resolved?.published.version ?? before ?? "";
  const changed = resolved !== undefined && resolved.published.tree !== locked?.tree;
  return {
    name,
    before,
    version,
    range,
    rangeBefore,
    deprecated,
    yanked,
    changed,
    consent: consents?.get(name) ?? null,
  };
}

/** A version that a person may choose. */
export interface UpdateChoice {
  name: string;
  before: string | null;
  version: string;
  range: string;
  rangeBefore: string;
  /** `none`: it isn't locked yet, goes back, or has other contents under the same version. */
  bump: Bump;
  /** It is what `update --latest` takes of this card. */
  isLatest: boolean;
  /** What would become of its hooks; null: it has none. */
  consent: HookConsent | null;
}

interface UpdateChoices {
  choices: UpdateChoice[];
  /** Versions that exist but cannot be taken. */
  unusable: { name: string; version: string; problem: string }[];
}

/**
 * The highest version inside each card's range, and the highest of all. It fetches and verifies them, to know before
 * anybody chooses what would become of their hooks; nothing in the project changes.
 */
export async function listUpdateChoices(host: Host, names: readonly string[]): Promise<UpdateChoices> {
  const cards = names.map((name) => shellQuote(name));
  requireTerminal(
    host,
    "pick updates from a list",
    advise`${drwn("update", "-i", ...cards)}; without one: ${drwn("update", ...cards)}`,
  );
  const project = openProject(host);
  const place = { host, base: project.root, registryOf: rememberScopes(host), isLook: true };
  const found: UpdateChoices = { choices: [], unusable: [] };
  for (const name of requireRequested(project, names)) {
    host.progress(`looking for updates of ${name}`);
    let inside: string | undefined;
    for (const latest of isRange(project.config.cards[name] ?? "") ? [false, true] : [false]) {
      const step = await findStep(place, project, { name, latest });
      const version = step.resolved?.published.version;
      if (version === undefined || version === inside) continue;
      inside = version;
      await look(host, project, { step, version, isLatest: latest, found });
    }
  }
  return found;
}

interface Look {
  step: UpdateStep;
  version: string;
  isLatest: boolean;
  found: UpdateChoices;
}

async function look(host: Host, project: OpenProject, { step, version, isLatest, found }: Look): Promise<void> {
  const { name, locked, resolved, range, rangeBefore } = step;
  if (resolved === undefined) return;
  try {
    const card = await lockResolved(host, resolved, { range, former: project.lock.cards });
    const lock = { ...project.lock, cards: [...project.lock.cards.filter((one) => one.name !== name), card] };
    const consent = describeConsents(host, { lock, ledger: project.ledger }).get(name) ?? null;
    const before = locked?.version ?? null;
    const bump = before === null ? "none" : bumpBetween(before, version);
    found.choices.push({ name, before, version, range, rangeBefore, bump, isLatest, consent });
  } catch (error) {
    if (!isProblem(error)) throw error;
    found.unusable.push({ name, version, problem: error.message });
  }
}
