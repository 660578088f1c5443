import { compareVersions, isRange, isRangeWithin } from "../card/version.ts";
import { advise, drwn } from "../kernel/advice.ts";
import { parseFormat, readBounded } from "../kernel/format/read.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { FileEdit } from "./commit.ts";
import { configSchema, EMPTY_CONFIG, editConfig, type ProjectConfig } from "./config.ts";
import { projectFiles } from "./identity.ts";
import { editLock, type Lock, type LockedCard, lockSchema } from "./lock.ts";
import { editRequests, requestSchema, type TrustRequest } from "./trust-request.ts";

/**
 * What git could not merge in config.json, card.lock and trust.json, merged: the cards of both sides, and what both ask
 * consent for. A card that one side took out stays, since a conflict must not lose a guard. Empty: there is no
 * conflict. `install` locks anew what neither side has locked for the range that both agree on.
 */
export function mergeConflicts(root: string): FileEdit[] {
  const [configFile, lockFile] = [projectFiles.config(root), projectFiles.lock(root)];
  const requestFile = projectFiles.trustRequest(root);
  const configs = sidesIn(configFile).map((text) => parseFormat(text, configSchema, { file: configFile }));
  const locks = sidesIn(lockFile).map((text) => parseFormat(text, lockSchema, { file: lockFile }));
  const requests = sidesIn(requestFile).map((text) => parseFormat(text, requestSchema, { file: requestFile }));
  return [
    ...(configs.length === 0 ? [] : [editConfig(root, mergeConfigs(configFile, configs))]),
    ...(locks.length === 0 ? [] : [editLock(root, mergeLocks(locks))]),
    ...(requests.length === 0 ? [] : [editRequests(root, mergeRequests(requestFile, requests))]),
  ];
}

/** Both versions of a file with conflict markers; none if there are no markers. */
function sidesIn(file: string): string[] {
  const text = readBounded(file)?.toString("utf8") ?? "";
  if (!/^<{7,} /mu.test(text)) return [];
  const sides: [string[], string[]] = [[], []];
  let side: 0 | 1 | "both" | "base" = "both";
  for (const line of text.split(/\r?\n/u)) {
    if (/^<{7,} /u.test(line)) side = 0;
    else if (/^\|{7,}(?: |$)/u.test(line)) side = "base";
    else if (/^={7,}$/u.test(line) && side !== "both") side = 1;
    else if (/^>{7,} /u.test(line)) side = "both";
    else {
      if (side === 0 || side === "both") sides[0].push(line);
      if (side === 1 || side === "both") sides[1].push(line);
    }
  }
  return sides.map((lines) => lines.join("\n"));
}

function mergeConfigs(
  file: string,
  [ours = EMPTY_CONFIG, theirs = EMPTY_CONFIG]: readonly ProjectConfig[],
): ProjectConfig {
  const cards = { ...ours.cards };
  for (const [name, range] of Object.entries(theirs.cards)) {
    cards[name] = narrower({ file, name }, Object.hasOwn(cards, name) ? cards[name] : undefined, range);
  }
  const rest = (config: ProjectConfig): string => JSON.stringify({ ...config, cards: {}, requireHooks: [] });
  if (rest(ours) !== rest(theirs)) {
    throw unmerged(file, "both sides changed more than cards", "the fields beside `cards`");
  }
  const required = [...new Set([...(ours.requireHooks ?? []), ...(theirs.requireHooks ?? [])])];
  return { ...ours, cards, ...(required.length === 0 ? {} : { requireHooks: required }) };
}

function narrower({ file, name }: { file: string; name: string }, ours: string | undefined, theirs: string): string {
  if (ours === undefined || ours === theirs) return theirs;
  if (isRange(ours) && isRange(theirs)) {
    if (isRangeWithin(ours, theirs)) return ours;
    if (isRangeWithin(theirs, ours)) return theirs;
  }
  const which = `one side asks for ${name} as ${clean(ours, 200)}, the other as ${clean(theirs, 200)}`;
  throw unmerged(file, which, `one of the two lines about ${name}`);
}

function mergeRequests(file: string, [ours, theirs]: readonly TrustRequest[]): TrustRequest["requests"] {
  const requests = { ...ours?.requests };
  for (const [name, request] of Object.entries(theirs?.requests ?? {})) {
    if (Object.hasOwn(requests, name) && JSON.stringify(requests[name]) !== JSON.stringify(request))
      throw unmerged(file, `the two sides ask different things about ${name}`, `one of the two requests about ${name}`);
    requests[name] = request;
  }
  return requests;
}

function unmerged(file: string, what: string, keep: string): Problem {
  return new Problem("DRWN_FILE_INVALID", `${clean(file)}: git could not merge two versions of the file: ${what}`, {
    hint: advise`edit the file: keep the cards of both sides, ${keep}, and no line of git's; then: ${drwn("install")}`,
  });
}

function mergeLocks([ours, theirs]: readonly Lock[]): Lock {
  const cards = new Map<string, LockedCard>((ours?.cards ?? []).map((card) => [card.name, card]));
  for (const card of theirs?.cards ?? []) {
    const known = cards.get(card.name);
    if (known === undefined || isBetter(card, known)) cards.set(card.name, card);
  }
  return { lockfileVersion: 1, cards: [...cards.values()] };
}

/** The one for the narrower range, which is the one that config.json will ask for; else the later. */
function isBetter(card: LockedCard, known: LockedCard): boolean {
  if (card.range === known.range || !isRange(card.range) || !isRange(known.range))
    return compareVersions(card.version, known.version) > 0;
  return isRangeWithin(card.range, known.range);
}
