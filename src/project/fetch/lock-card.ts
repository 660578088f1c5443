import path from "node:path";
import { CARD_LIMITS } from "../../card/files.ts";
import { cardScopeOf } from "../../card/name.ts";
import { type CardRequest, originIdOf, parseRequest } from "../../card/request.ts";
import { packCommitted } from "../../card/source/pack.ts";
import { isRange } from "../../card/version.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { readBounded } from "../../kernel/format/read.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { openGitOrigin } from "../../registry/git/git.ts";
import type { CardOrigin, PublishedVersion, Registry } from "../../registry/registry.ts";
import { type lookUpCard, resolveCard } from "../../registry/resolve.ts";
import { compareVersionsSeen, rememberVersions } from "../../registry/seen-versions.ts";
import { openSingleOrigin, openTarballOrigin } from "../../registry/tarball-origin.ts";
import { writeLedger } from "../../trust/ledger-file.ts";
import { rememberNotes, withYanks } from "../../trust/releases.ts";
import type { LockedCard } from "../lock.ts";
import { readJoinFacts } from "../open/join-facts.ts";
import type { OpenProject } from "../open/open-project.ts";
import { fetchCard, requireLocked } from "./fetch-card.ts";
import { openRegistryOf, openWeb } from "./registries.ts";

/** What a user or config.json asks for. */
export interface RequestedCard {
  /** null: the source says the name. */
  name: string | null;
  /** A range or a source; null: the highest version there is. */
  request: string | null;
}

export interface ResolvedCard {
  registry: Registry;
  published: PublishedVersion;
}

/** Where to look for cards. `base`: what relative paths start from. */
export interface LockContext {
  host: Host;
  base: string;
  /** The registry of a card; absent: that of its scope. */
  registryOf?: (card: string) => Promise<Registry>;
  /** Whether somebody only looks, so that drwn must record nothing. */
  isLook?: boolean;
}

/** For many cards: reads the user's settings only once for each scope. */
export function rememberScopes(host: Host): (card: string) => Promise<Registry> {
  const opened = new Map<string, Promise<Registry>>();
  return (card) => {
    const registry = opened.get(cardScopeOf(card)) ?? openRegistryOf(host, card);
    opened.set(cardScopeOf(card), registry);
    return registry;
  };
}

export function registryOf({ host, registryOf: known }: LockContext, card: string): Promise<Registry> {
  return known === undefined ? openRegistryOf(host, card) : known(card);
}

/** The registry that the card's scope belongs to; it must list what it has listed before. */
export async function openListed(place: LockContext, card: string): Promise<Registry> {
  const registry = await registryOf(place, card);
  const home = place.host.drwnHome;
  if (place.isLook === true) return compareVersionsSeen(registry, home);
  return noteYanksOf(rememberVersions(registry, home), place.host);
}

/** Finds the requested version; in a registry with `pick`. Doesn't download from a registry yet. */
export async function resolveRequested(
  place: LockContext,
  { name, request }: RequestedCard,
  pick: typeof lookUpCard = resolveCard,
): Promise<ResolvedCard> {
  const parsed = request === null ? undefined : parseRequest(request);
  if (parsed === undefined || parsed.kind === "range") {
    if (name === null) throw new Problem("DRWN_SPEC_INVALID", "a range alone names no card");
    const registry = await openListed(place, name);
    place.host.progress(`asking ${registry.id} for ${name}`);
    return { registry, published: await pick(registry, name, parsed?.range ?? null) };
  }
  place.host.progress(`looking at ${clean(request ?? "", 80)}`);
  const { registry, resolve } = openCardOrigin(place, parsed);
  const published = await resolve();
  if (name === null || published.name === name) return { registry, published };
  throw new Problem("DRWN_REGISTRY_INVALID", `${registry.id} is not ${name}`, {
    details: [`it is: ${published.name}@${published.version}`],
    hint: drwn("add", clean(request ?? "", 200)),
  });
}

/**
 * Resolves, fetches, verifies and stores a card, and answers with its lock entry. Without a request, the entry asks for
 * `^version`. A version that was locked before must still be the same.
 */
export async function lockCard(
  place: LockContext,
  asked: RequestedCard,
  former: readonly LockedCard[],
): Promise<{ locked: LockedCard; deprecated: string | null; registry: Registry }> {
  const resolved = await resolveRequested(place, asked);
  const { version, deprecated } = resolved.published;
  const locked = await lockResolved(place.host, resolved, { range: asked.request ?? `^${version}`, former });
  return { locked, deprecated, registry: resolved.registry };
}

/** The second half of `lockCard`, for a caller that has resolved the card. `range` is what config.json will ask for. */
export async function lockResolved(
  host: Host,
  { registry, published }: ResolvedCard,
  { range, former }: { range: string; former: readonly LockedCard[] },
): Promise<LockedCard> {
  const before = former.find(({ name, source }) => name === published.name && source === registry.id);
  if (isRange(range) && before?.version === published.version) requireLocked(before, published);
  const locked = { ...(await fetchCard(host, registry, published)), range };
  refuseMoved(locked, before);
  return locked;
}

/** Opens a source that holds one card, or a repository. */
export function openCardOrigin(
  { host, base }: LockContext,
  request: Exclude<CardRequest, { kind: "range" }>,
): CardOrigin {
  const id = originIdOf(request) ?? "";
  switch (request.kind) {
    case "git":
      return openGitOrigin(request, { home: host.drwnHome, env: host.env });
    case "folder":
      return openSingleOrigin(id, () => packCommitted(path.resolve(base, request.path)));
    case "tarball":
      return openTarballOrigin(id, () =>
        /^https?:/u.test(request.location)
          ? download(host, request.location)
          : Promise.resolve(readTarballFile(path.resolve(base, request.location))),
      );
  }
}

async function download(host: Host, url: string): Promise<Buffer> {
  const http = await openWeb(host);
  const bytes = await http.get(url, { maximumBytes: CARD_LIMITS.tarballBytes });
  if (bytes !== undefined) return bytes;
  throw new Problem("DRWN_CARD_NOT_FOUND", `there is nothing at ${clean(url, 200)}`);
}

function readTarballFile(file: string): Buffer {
  const bytes = readBounded(file, { maximumBytes: CARD_LIMITS.tarballBytes });
  if (bytes !== undefined) return bytes;
  throw new Problem("DRWN_CARD_NOT_FOUND", `there is no ${clean(file)}`);
}

/** A linked folder may change; everywhere else a version is published once. */
function refuseMoved(locked: LockedCard, former: LockedCard | undefined): void {
  if (former?.version !== locked.version || former.tree === locked.tree || locked.source.startsWith("file:")) return;
  throw new Problem(
    "DRWN_VERSION_MOVED",
    `${locked.name}@${locked.version} is not what was locked under this version`,
    {
      details: [
        `source: ${clean(locked.source, 200)}`,
        `locked: ${former.tree}${former.commit === undefined ? "" : `, commit ${former.commit}`}`,
        `received: ${locked.tree}${locked.commit === undefined ? "" : `, commit ${locked.commit}`}`,
      ],
      hint: advise`find out who moved it; to use the new contents anyway: ${drwn("remove", locked.name)}, and add it again`,
    },
  );
}

/** The same registry; records what it says about versions that this machine has seen. */
function noteYanksOf(registry: Registry, host: Host): Registry {
  const versions: Registry["versions"] = async (name) => {
    const listed = await registry.versions(name);
    noteListed(host, listed);
    return listed;
  };
  return { ...registry, versions };
}

export function noteListed({ drwnHome: home, now }: Host, listed: readonly PublishedVersion[]): void {
  for (const version of listed) if (version.tree !== "") rememberNotes(home, version, now());
}

/**
 * Notes in the project's approvals which versions were yanked, with effect from the next tool call, and answers with
 * that ledger. The caller holds the project's lock.
 */
export function applyYanks(host: Host, { key, ledger }: Pick<OpenProject, "key" | "ledger">): OpenProject["ledger"] {
  if (ledger === undefined) return undefined;
  const next = withYanks(ledger, readJoinFacts(host).releaseOf);
  if (next !== ledger) writeLedger(host.drwnHome, key, next);
  return next;
}
