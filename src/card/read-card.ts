import { Problem } from "../kernel/problem.ts";
import { type CardFiles, type TreeDigest, treeDigest } from "./files.ts";
import { type HookIndex, readHookIndex } from "./hook-index.ts";
import { MANIFEST_FILE, type Manifest, parseManifest, skillsOf } from "./manifest.ts";
import { checkPackageJson, PACKAGE_FILE } from "./package-json.ts";
import { checkCardPaths } from "./paths.ts";
import { checkFileNames } from "./refused-files.ts";
import { checkSkills } from "./skill.ts";

/** A card as its bytes say it is. */
export interface ReadCard {
  manifest: Manifest;
  index: HookIndex;
  tree: TreeDigest;
}

/**
 * What these files are as a card. Refuses them whole when anything in them contradicts the manifest. They are only looked
 * at: nothing is loaded, compiled or evaluated.
 */
export function readCard(files: CardFiles): ReadCard {
  checkCardPaths(files.keys());
  checkFileNames(files.keys(), "DRWN_TARBALL_INVALID");
  const manifest = parseManifest(requireFile(files, MANIFEST_FILE), { file: MANIFEST_FILE });
  checkSkills(files, skillsOf(manifest));
  const index = readHookIndex(files, manifest);
  checkPackageJson(requireFile(files, PACKAGE_FILE), { manifest, index });
  return { manifest, index, tree: treeDigest(files) };
}

function requireFile(files: CardFiles, path: string): Buffer {
  const bytes = files.get(path);
  if (bytes !== undefined) return bytes;
  throw new Problem("DRWN_TARBALL_INVALID", `the card has no ${path}`);
}
