import fs from "node:fs";
import path from "node:path";
import { readPlainFile, walkTree } from "../card/archive/tree.ts";
import { CARD_LIMITS, type CardFiles, toCardFiles, treeDigest } from "../card/files.ts";
import { checkCardPaths } from "../card/safe-path.ts";
import { type CardSignature, parseSignature, printSignature, type SignedSubject } from "../card/signing/signature.ts";
import { layout } from "../contract/layout.ts";
import { isManagedHome } from "../contract/scopes.ts";
import { advise, drwn } from "../kernel/advice.ts";
import { isSameDigest } from "../kernel/digest.ts";
import {
  hasCode,
  readIfThere,
  removeTree,
  sweepTemporaries,
  temporaryName,
  unlockFolders,
  writeAtomic,
} from "../kernel/files.ts";
import { readBounded } from "../kernel/format/read.ts";
import { withLock } from "../kernel/mutex.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

const TREE = /^drwn1-sha512-[\w-]{86}$/u;

/**
 * Keeps the files under the digest of their tree, read-only, all or none. An intact tree that is there already stays; a
 * damaged one is replaced. Two writers of the same tree write the same.
 */
export async function putCard(home: string, files: CardFiles, tree: string): Promise<void> {
  requireTree(tree, treeDigest(files), "the files to store are not the ones that were asked for");
  checkCardPaths(files.keys());
  const folder = entryFolder(home, tree);
  if (isIntact(home, tree)) {
    renew(folder);
    sealStored(home, tree);
    return;
  }
  const store = openStore(home);
  sweepTemporaries(store);
  const fresh = temporaryName(folder);
  try {
    writeFiles(fresh, files);
    // Only one writer may remove a damaged tree: with two, the second would remove what the first has put there.
    if (!moveThere(fresh, folder)) {
      await withLock(layout.lock(home, "store"), () => replaceFolder(folder, fresh, () => isIntact(home, tree)));
    }
    sealStored(home, tree);
  } finally {
    removeTree(fresh);
  }
}

/**
 * Makes the folders of a stored tree read-only, its own last: if that is writable, a process was killed before it had
 * finished. Called after the move to its place, since some systems can't move a read-only folder.
 */
export function sealStored(home: string, tree: string): void {
  const folder = entryFolder(home, tree);
  try {
    if ((fs.lstatSync(folder).mode & 0o222) === 0) return;
    const inner = walkTree(folder, { maximum: Number.POSITIVE_INFINITY }).filter(({ kind }) => kind === "folder");
    for (const entry of inner.reverse()) fs.chmodSync(path.join(folder, entry.path), 0o555);
    fs.chmodSync(folder, 0o555);
  } catch (error) {
    // Another writer has put the same files in its place meanwhile, and seals them itself.
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

/** Shows that something is about to name it: cleaning up leaves young trees alone. */
function renew(folder: string): void {
  const now = new Date();
  try {
    fs.utimesSync(folder, now, now);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

/** The files of a stored tree, after computing their digest again. */
export function readStored(home: string, tree: string): CardFiles {
  const folder = entryFolder(home, tree);
  if (!isStored(home, tree)) {
    throw new Problem("DRWN_CARD_NOT_INSTALLED", `the store has no ${tree}`, { hint: drwn("install") });
  }
  const files = readFiles(folder, tree);
  requireTree(tree, treeDigest(files), `${folder} was changed after it was stored`);
  return files;
}

/** Whether something is stored under this digest; only `readStored` knows whether it has changed. */
export function isStored(home: string, tree: string): boolean {
  return fs.lstatSync(entryFolder(home, tree), { throwIfNoEntry: false })?.isDirectory() === true;
}

function isTreeDigest(text: string): boolean {
  return TREE.test(text);
}

function isIntact(home: string, tree: string): boolean {
  if (!isStored(home, tree)) return false;
  try {
    readStored(home, tree);
    return true;
  } catch (error) {
    // Another writer is removing it right now.
    if (isProblem(error) || hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

function entryFolder(home: string, tree: string): string {
  if (isTreeDigest(tree)) return path.join(layout.store(home), tree);
  throw new Problem("DRWN_INTEGRITY_MISMATCH", `\`${clean(tree, 120)}\` isn't a digest of a card's files`);
}

function readFiles(folder: string, tree: string): CardFiles {
  const files: [string, Buffer][] = [];
  // More than a card may have, so that too many don't look like fewer.
  for (const entry of walkTree(folder, { maximum: 2 * CARD_LIMITS.files + 1 })) {
    if (entry.kind === "folder") continue;
    const bytes =
      entry.kind === "file" ? readPlainFile(path.join(folder, entry.path), CARD_LIMITS.fileBytes) : undefined;
    if (!Buffer.isBuffer(bytes)) {
      throw mismatch(tree, "none", `${folder}/${clean(entry.path)} isn't a plain file that can be read`);
    }
    files.push([entry.path, bytes]);
  }
  return toCardFiles(files);
}

function writeFiles(folder: string, files: CardFiles): void {
  fs.mkdirSync(folder, { mode: 0o700 });
  for (const [name, bytes] of files) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, bytes, { flag: "wx" });
    fs.chmodSync(file, 0o444);
  }
}

/** Moves `fresh` to its place, past a damaged entry, unless somebody else has put an intact one there meanwhile. */
function replaceFolder(folder: string, fresh: string, isThere: () => boolean): void {
  while (!isThere()) {
    moveAside(folder);
    if (moveThere(fresh, folder)) return;
  }
}

/** False if something is in its place. */
function moveThere(fresh: string, folder: string): boolean {
  try {
    fs.renameSync(fresh, folder);
    return true;
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR"].some((code) => hasCode(error, code))) return false;
    throw error;
  }
}

function moveAside(folder: string): void {
  const damaged = temporaryName(folder);
  try {
    // Unlocked before the move, so that drwn can sweep up what a killed process leaves.
    unlockFolders(folder);
    fs.renameSync(folder, damaged);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
  removeTree(damaged);
}

function requireTree(expected: string, received: string, why: string): void {
  if (isSameDigest(expected, received)) return;
  throw mismatch(expected, received, why);
}

function mismatch(expected: string, received: string, why: string): Problem {
  return new Problem("DRWN_INTEGRITY_MISMATCH", why, {
    details: [`expected: ${expected}`, `received: ${received}`],
    hint: drwn("install"),
  });
}

/**
 * The store's folder; creates it if it is absent. Refuses one that somebody else could have prepared, or could change.
 */
function openStore(home: string): string {
  const folder = layout.store(home);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = fs.lstatSync(folder);
  const fault = faultOf(stat, isManagedHome(home) ? 0 : process.getuid?.());
  if (fault === undefined) return folder;
  throw new Problem("DRWN_HOME_UNSAFE", `the store ${folder} ${fault}`, {
    hint: advise`look at who changed it; if you move the store away, this fills a new one: ${drwn("install")}`,
  });
}

function faultOf(stat: fs.Stats, owner: number | undefined): string | undefined {
  if (stat.isSymbolicLink()) return "is a symbolic link";
  if (!stat.isDirectory()) return "isn't a folder";
  if (stat.uid !== (owner ?? stat.uid)) return "belongs to another user";
  return (stat.mode & 0o022) === 0 ? undefined : "can be changed by other users";
}

/**
 * Keeps a signature beside the store: it isn't part of the tree that it signs, and two publishers may have signed the
 * same tree. It needs no protection: every reader verifies it.
 */
export function keepSignature(home: string, tree: string, signature: CardSignature): void {
  const file = signatureFile(home, tree, signature.publisher);
  const text = printSignature(signature);
  if (readIfThere(file)?.toString() !== text) writeAtomic(file, text);
}

/** The kept signature of this publisher, verified again. Without it nobody knows that the card is the publisher's. */
export function readSignatureOf(home: string, subject: SignedSubject, publisher: string): CardSignature {
  const file = signatureFile(home, subject.tree, publisher);
  const bytes = readBounded(file);
  if (bytes !== undefined) {
    const signature = parseSignature(bytes, subject, file);
    if (signature.publisher === publisher) return signature;
  }
  const { name, version } = subject;
  throw new Problem("DRWN_SIGNATURE_MISSING", `the signature of ${name}@${version} is not on this machine`, {
    details: [`publisher: ${publisher}`],
    hint: drwn("install"),
  });
}

function folderOf(home: string, tree: string): string {
  return layout.signatures(home, path.basename(tree));
}

function signatureFile(home: string, tree: string, publisher: string): string {
  return path.join(folderOf(home, tree), `${path.basename(publisher.slice(publisher.indexOf(":") + 1))}.json`);
}
