import path from "node:path";
import { findSource, rememberSource, standardFolder } from "../../authoring/find-source.ts";
import { MANIFEST_FILE, parseManifest } from "../../card/manifest.ts";
import { cardScopeOf, parseCardName } from "../../card/name.ts";
import type { Server } from "../../card/server.ts";
import { createSource } from "../../card/source/create.ts";
import {
  addHook,
  addServer,
  addSkill,
  type HookTemplate,
  removeHook,
  removeServer,
  removeSkill,
  type SourceChange,
  type SourceFields,
  setFields,
} from "../../card/source/edit-source.ts";
import { readManifest, readManifestFile } from "../../card/source/source.ts";
import { nextVersion } from "../../card/version.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { shellQuote } from "../../kernel/text.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { CATALOGUE_SCOPE, cardFolderOf, notYours } from "../../registry/catalogue.ts";

/** What was, or would be, changed in a card source. */
export interface SourceEdit {
  card: string;
  dryRun: boolean;
  changes: SourceChange[];
}

type SourceEditRequest = { dryRun: boolean } & (
  | { add: "hook"; name: string; template: HookTemplate }
  | { add: "skill"; name: string }
  | { add: "server"; name: string; server: Server }
  | { remove: "hook" | "skill" | "server"; name: string; keepFiles: boolean }
  | { set: SourceFields }
);

/** Edits the card source of this name or folder. Files of the author are never overwritten. */
export function editSource(host: Host, source: string, request: SourceEditRequest): SourceEdit {
  const dir = findSource(host, source);
  const changes = applyEdit(dir, request);
  return { card: readName(dir), dryRun: request.dryRun, changes };
}

function applyEdit(dir: string, request: SourceEditRequest): SourceChange[] {
  const { dryRun } = request;
  if ("set" in request) return setFields(dir, request.set, { dryRun });
  const { name } = request;
  if ("add" in request) {
    if (request.add === "server") return addServer(dir, { name, server: request.server, dryRun });
    return request.add === "hook"
      ? addHook(dir, name, { dryRun, template: request.template })
      : addSkill(dir, name, { dryRun });
  }
  const { remove, keepFiles } = request;
  if (remove === "server") return removeServer(dir, name, { dryRun });
  return remove === "hook"
    ? removeHook(dir, name, { dryRun, keepFiles })
    : removeSkill(dir, name, { dryRun, keepFiles });
}

function readName(dir: string): string {
  return parseManifest(readManifestFile(dir), { file: path.join(dir, MANIFEST_FILE) }).name;
}

export { HOOK_TEMPLATES } from "../../card/source/edit-source.ts";

/** The version of a source after this step. */
export function stepVersion(host: Host, source: string, step: "major" | "minor" | "patch"): string {
  return nextVersion(readManifest(findSource(host, source)).version, step);
}

/** Scaffolds a card source: below DRWN_HOME, in the current folder, or as a folder named like the card inside another one. */
export async function newCard(
  host: Host,
  request: { name: string; into?: string; from?: string },
): Promise<{ card: string; path: string }> {
  const card = parseCardName(request.name);
  if (cardScopeOf(card) === CATALOGUE_SCOPE) throw notYours(CATALOGUE_SCOPE);
  const [, shortName = card] = card.split("/");
  const folder = request.into === undefined ? standardFolder(host, card) : placeIn(host, request.into, shortName);
  createSource({ dir: folder, name: card, from: request.from === undefined ? undefined : requireOwn(request.from) });
  await rememberSource(host, card, folder);
  return { card, path: folder };
}

function requireOwn(name: string): string {
  const folder = cardFolderOf(parseCardName(name));
  if (folder !== undefined) return folder;
  throw new Problem("DRWN_CARD_NOT_FOUND", `drwn doesn't come with a card ${name}`, { hint: "drwn search @drwn" });
}

/** Somebody who names the folder that they are in has made it for the card. */
function placeIn({ cwd }: Host, into: string, shortName: string): string {
  const folder = path.resolve(cwd, into);
  return folder === path.resolve(cwd) ? folder : path.join(folder, shortName);
}

/**
 * From now on the source in this folder is found by its name, from anywhere, and is the user's own: commands run its code
 * without asking. So an agent cannot say it for a person.
 */
export async function useSource(host: Host, folder: string): Promise<{ card: string; path: string }> {
  requirePerson(host, "register a source as yours", `drwn card source use ${shellQuote(folder)}`);
  const found = findSource(host, path.resolve(host.cwd, folder));
  const { name } = parseManifest(readManifestFile(found), { file: path.join(found, MANIFEST_FILE) });
  await rememberSource(host, name, found);
  return { card: name, path: found };
}
