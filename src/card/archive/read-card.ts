import { Problem } from "../../kernel/problem.ts";
import { type CardFiles, type TreeDigest, treeDigest } from "../files.ts";
import { type HookIndex, readHookIndex } from "../hooks/hook-index.ts";
import { MANIFEST_FILE, type Manifest, parseManifest, skillsOf } from "../manifest.ts";
import { checkCardPaths } from "../paths.ts";
import { type CardSignature, readSignature, withoutSignature } from "../signing/signature.ts";
import { checkSkills, requireSkillFiles } from "../skill/skill.ts";
import { checkPackageJson, PACKAGE_FILE } from "./package-json.ts";
import { checkFileNames } from "./refused-files.ts";

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
