import { parseFormat } from "../../format/read.ts";
import { formatJson } from "../../format/write.ts";
import * as z from "../../format/zod.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { type HookIndex, type IndexedHook, indexedHookSchema } from "../hooks/hook-index.ts";
import type { Manifest } from "../manifest.ts";

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
export function checkPackageJson(bytes: Buffer, { manifest, index }: Described): void {
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
