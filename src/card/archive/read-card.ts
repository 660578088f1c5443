import { formatJson } from "../../kernel/format/json.ts";
import { parseFormat } from "../../kernel/format/read.ts";
import * as z from "../../kernel/format/zod.ts";
import { Problem, type ProblemCode } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { type CardFiles, type TreeDigest, treeDigest } from "../files.ts";
import { type HookIndex, type IndexedHook, indexedHookSchema, readHookIndex } from "../hooks/hook-index.ts";
import { MANIFEST_FILE, type Manifest, parseManifest, skillsOf } from "../manifest.ts";
import { checkCardPaths } from "../safe-path.ts";
import { type CardSignature, readSignature, withoutSignature } from "../signing/signature.ts";
import { checkSkills, requireSkillFiles } from "../skill/skill.ts";

/** A card, as described by its own bytes. */
export interface ReadCard {
  manifest: Manifest;
  index: HookIndex;
  tree: TreeDigest;
  /** The card's own files: what the tree digest covers. */
  files: CardFiles;
  /** Valid, and of exactly this card; null: it isn't signed. The publisher may still be the wrong one. */
  signature: CardSignature | null;
}

/**
 * Reads these files as a card. Refuses all of them if anything in them contradicts the manifest, if a skill can be read
 * in two ways, or if a signature isn't theirs. It only looks at them: nothing is loaded, compiled or evaluated.
 */
export function readCard(packed: CardFiles): ReadCard {
  const card = readKnownCard(packed);
  checkSkills(card.files, skillsOf(card.manifest));
  return card;
}

/** The same without checking skills, for a card that is stored already. */
export function readKnownCard(packed: CardFiles): ReadCard {
  checkCardPaths(packed.keys());
  checkFileNames(packed.keys(), "DRWN_TARBALL_INVALID");
  const files = withoutSignature(packed);
  const manifest = parseManifest(requireFile(files, MANIFEST_FILE), { file: MANIFEST_FILE });
  requireSkillFiles(files, skillsOf(manifest));
  const index = readHookIndex(files, manifest);
  checkPackageJson(requireFile(files, PACKAGE_FILE), { manifest, index });
  const tree = treeDigest(files);
  const signature = readSignature(packed, { name: manifest.name, version: manifest.version, tree });
  return { manifest, index, tree, files, signature };
}

function requireFile(files: CardFiles, path: string): Buffer {
  const bytes = files.get(path);
  if (bytes !== undefined) return bytes;
  throw new Problem("DRWN_TARBALL_INVALID", `the card has no ${path}`);
}

const REFUSED: readonly { pattern: RegExp; why: string }[] = [
  { pattern: /^\./u, why: "hidden files are not packed: they hold settings and secrets" },
  { pattern: /^node_modules$/iu, why: "a card cannot bring packages" },
  { pattern: /^binding\.gyp$/iu, why: "an npm client would compile it" },
  { pattern: /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|env)$/iu, why: "it is named like a secret" },
  { pattern: /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:\..*)?$/iu, why: "it is named like a secret key" },
];

/** Operating systems and editors leave these files; nobody wants to pack them. */
const LITTER = /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\.gitkeep|.*~|\..*\.sw[op])$/u;

export function isLitter(name: string): boolean {
  return LITTER.test(name);
}

/** Refuses, by their names, files that a card must not carry: secrets, packages, and what other tools would act on. */
export function checkFileNames(paths: Iterable<string>, code: ProblemCode): void {
  for (const path of paths) {
    for (const name of path.split("/")) {
      const refused = REFUSED.find(({ pattern }) => pattern.test(name));
      if (refused === undefined) continue;
      throw new Problem(code, `a card cannot hold \`${clean(path)}\`: ${refused.why}`);
    }
  }
}

export const PACKAGE_FILE = "package.json";

/** What makes a card a package that an npm registry can host. Others may add fields; nothing in it ever runs. */
const packageSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  scripts: z.record(z.string(), z.string()).optional(),
  drwn: z.looseObject({ hooks: z.array(indexedHookSchema) }).optional(),
});

/** The keyword by which an npm registry tells cards from other packages. */
export const CARD_KEYWORD = "drwn-card";

/** Scripts that an npm client runs by itself when it installs a package. */
const LIFECYCLE = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];

/**
 * The package.json of a card: made from its manifest and its index only, without scripts or dependencies. npm
 * registries show it to anybody who asks for the card's versions, so the field `drwn` says what its hooks are before
 * anybody downloads it.
 */
export function makePackageJson(manifest: Manifest, hooks: readonly IndexedHook[] = []): string {
  const { name, version, description, license, repository, author } = manifest;
  const keywords = [...new Set([...(manifest.keywords ?? []), CARD_KEYWORD])];
  return formatJson({ name, version, description, license, keywords, repository, author, drwn: { hooks } });
}

interface Described {
  manifest: Manifest;
  index: HookIndex;
}

/** Refuses a package.json that names another card or other hooks, or that would make an npm client run something. */
function checkPackageJson(bytes: Buffer, { manifest, index }: Described): void {
  const { name, version, scripts, drwn } = parseFormat(bytes, packageSchema, { file: PACKAGE_FILE });
  if (name !== manifest.name || version !== manifest.version) {
    throw new Problem("DRWN_TARBALL_INVALID", "card.json and package.json do not name the same card", {
      details: [`card.json: ${manifest.name}@${manifest.version}`, `package.json: ${clean(`${name}@${version}`)}`],
    });
  }
  if (drwn !== undefined && JSON.stringify(drwn.hooks) !== JSON.stringify(index.hooks)) {
    throw new Problem("DRWN_TARBALL_INVALID", `package.json lists other hooks than the index of ${manifest.name}`);
  }
  const script = LIFECYCLE.find((event) => scripts !== undefined && Object.hasOwn(scripts, event));
  if (script === undefined) return;
  throw new Problem("DRWN_TARBALL_INVALID", `package.json has the script \`${script}\`, which an npm client would run`);
}
