import fs from "node:fs";
import path from "node:path";
import { lstatIfThere } from "../../kernel/files.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { isLitter, PACKAGE_FILE } from "../archive/read-card.ts";
import { readPlainFile, walkTree } from "../archive/tree.ts";
import { CARD_LIMITS, type CardFiles, toCardFiles } from "../files.ts";
import { INDEX_FILE } from "../hooks/hook-index.ts";
import { LEFT_OUT_FILE } from "../hooks/imported-file.ts";
import { hooksOf, MANIFEST_FILE, type Manifest, parseManifest, skillsOf } from "../manifest.ts";

/** The editable folder of a card, as drwn read it at one moment. */
export interface CardSource {
  /** Absolute. */
  dir: string;
  manifest: Manifest;
  /** The files that are packed because the manifest names them, without the index. */
  named: CardFiles;
  /** What a policy of this card may import: the named files, and code elsewhere in the folder. */
  importable: CardFiles;
  /** `hooks/index.json`, unchanged. */
  index: Buffer | undefined;
}

/** Files at the top of the source that are packed if they exist. */
const TOP_FILES = ["README.md", "LICENSE", "LICENSE.md", "LICENSE.txt", "NOTICE", LEFT_OUT_FILE];
/** How many entries of a source's folder drwn looks at: enough for a source inside a large repository. */
const WALKED_ENTRIES = 50_000;
const IMPORTABLE = /\.(?:[cm]?[jt]s|json|txt|md)$/u;

/**
 * Reads a source without following links. Elsewhere in the folder it only reads code that policies could import, but no
 * hidden folders and no installed packages.
 */
export function loadSource(dir: string): CardSource {
  const manifest = readManifest(dir);
  const named = readNamed(dir, manifest);
  const importable = new Map([...readImportable(dir), ...named]);
  importable.delete(INDEX_FILE);
  // Packing makes it again, and a policy must import exactly what is packed.
  importable.delete(PACKAGE_FILE);
  const index = readOptional(dir, INDEX_FILE);
  return { dir, manifest, named: toCardFiles(named), importable: toCardFiles(importable), index };
}

/** What a source's card.json says. */
export function readManifest(dir: string): Manifest {
  return parseManifest(readManifestFile(dir), { file: path.join(dir, MANIFEST_FILE) });
}

/** The bytes of a source's card.json. */
export function readManifestFile(dir: string): Buffer {
  const file = path.join(dir, MANIFEST_FILE);
  const bytes = readPlainFile(file, CARD_LIMITS.fileBytes);
  if (Buffer.isBuffer(bytes)) return bytes;
  if (bytes === "too-large") throw tooLarge(file);
  if (lstatIfThere(file) !== undefined) throw refuse(file, "it isn't a plain file");
  throw new Problem("DRWN_SOURCE_MISSING", `there is no card source in ${clean(dir)}`, {
    details: [`expected: ${clean(file)}`],
    hint: "drwn card new <@scope/name>",
  });
}

function readNamed(dir: string, manifest: Manifest): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of [MANIFEST_FILE, ...TOP_FILES]) {
    const bytes = readOptional(dir, name);
    if (bytes !== undefined) files.set(name, bytes);
  }
  const folders = [
    ...hooksOf(manifest).map((hook) => `hooks/${hook}`),
    ...skillsOf(manifest).map((skill) => `skills/${skill}`),
  ];
  for (const folder of folders) {
    refuseLinksOnTheWay(dir, folder);
    for (const entry of walkTree(path.join(dir, folder), { skip: isLitter, maximum: CARD_LIMITS.files + 1 })) {
      const relative = `${folder}/${entry.path}`;
      if (entry.kind === "other") throw refuse(path.join(dir, relative), "it is a link, or isn't a file");
      if (entry.kind === "file") files.set(relative, readRequired(dir, relative));
      refuseTooMany(dir, files.size);
    }
  }
  return files;
}

function readImportable(dir: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const isForeign = (name: string) => name.startsWith(".") || name === "node_modules";
  const entries = walkTree(dir, { skip: isForeign, maximum: WALKED_ENTRIES });
  if (entries.length >= WALKED_ENTRIES) throw tooMany(dir, WALKED_ENTRIES);
  for (const entry of entries) {
    if (entry.kind !== "file" || !IMPORTABLE.test(entry.path)) continue;
    const bytes = readPlainFile(path.join(dir, entry.path), CARD_LIMITS.fileBytes);
    if (Buffer.isBuffer(bytes)) files.set(entry.path, bytes);
    refuseTooMany(dir, files.size);
  }
  return files;
}

function readOptional(dir: string, relative: string): Buffer | undefined {
  if (fs.lstatSync(path.join(dir, relative), { throwIfNoEntry: false }) === undefined) return undefined;
  refuseLinksOnTheWay(dir, relative);
  return readRequired(dir, relative);
}

function readRequired(dir: string, relative: string): Buffer {
  const file = path.join(dir, relative);
  const bytes = readPlainFile(file, CARD_LIMITS.fileBytes);
  if (bytes === "too-large") throw tooLarge(file);
  if (bytes === undefined) throw refuse(file, "it isn't a plain file that can be read");
  return bytes;
}

/** Refuses a path in the source that leads through a link: its target isn't part of the source. */
export function refuseLinksOnTheWay(dir: string, relative: string): void {
  const parts = relative.split("/");
  parts.forEach((_, at) => {
    const part = path.join(dir, ...parts.slice(0, at + 1));
    if (fs.lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink()) throw refuse(part, "it is a link");
  });
}

function refuseTooMany(dir: string, count: number): void {
  if (count > CARD_LIMITS.files) throw tooMany(dir, CARD_LIMITS.files);
}

function tooMany(dir: string, maximum: number): Problem {
  return new Problem("DRWN_PACK_REFUSED", `${clean(dir)} has more than ${maximum} files`, {
    hint: "give the card a folder of its own",
  });
}

function tooLarge(file: string): Problem {
  return refuse(file, `it is larger than ${CARD_LIMITS.fileBytes} bytes`);
}

function refuse(file: string, why: string): Problem {
  return new Problem("DRWN_PACK_REFUSED", `\`${clean(file)}\` cannot be packed: ${why}`);
}

/** One file of a card, for a person to read. */
export interface SourceText {
  path: string;
  /** null: it isn't text. */
  text: string | null;
}

/** The files as text, those of the policies first. Runs none of them. */
export function sourceTexts(files: CardFiles, hooks: readonly { files: readonly string[] }[]): SourceText[] {
  const first = new Set(hooks.flatMap((hook) => hook.files));
  const others = [...files.keys()].filter((path) => !first.has(path) && !GENERATED.has(path));
  return [...first, ...others.sort()].map((path) => ({ path, text: toText(files.get(path)) }));
}

/** Made from the other files. */
const GENERATED = new Set(["hooks/index.json", "package.json"]);

function toText(bytes: Uint8Array | undefined): string | null {
  if (bytes === undefined || bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
