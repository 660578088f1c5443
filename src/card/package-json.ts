import { parseFormat } from "../format/read.ts";
import { z } from "../format/schema.ts";
import { formatJson } from "../format/write.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { Manifest } from "./manifest.ts";

export const PACKAGE_FILE = "package.json";

/** What makes a card a package that an npm registry can host. Others may add to it; nothing of it is ever run. */
const packageSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  scripts: z.record(z.string(), z.string()).optional(),
});

/** Scripts that an npm client runs by itself when it installs a package. */
const LIFECYCLE = ["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];

/** The package.json of a card: made of its manifest and nothing else, without scripts and without dependencies. */
export function makePackageJson({
  name,
  version,
  description,
  license,
  keywords,
  repository,
  author,
}: Manifest): string {
  return formatJson({ name, version, description, license, keywords, repository, author });
}

/** Refuses a package.json that names another card, or that would make an npm client run something. */
export function checkPackageJson(bytes: Buffer, manifest: Manifest): void {
  const { name, version, scripts } = parseFormat(bytes, packageSchema, { file: PACKAGE_FILE });
  if (name !== manifest.name || version !== manifest.version) {
    throw new Problem("DRWN_TARBALL_INVALID", "card.json and package.json do not name the same card", {
      details: [`card.json: ${manifest.name}@${manifest.version}`, `package.json: ${clean(`${name}@${version}`)}`],
    });
  }
  const script = LIFECYCLE.find((event) => scripts !== undefined && Object.hasOwn(scripts, event));
  if (script === undefined) return;
  throw new Problem("DRWN_TARBALL_INVALID", `package.json has the script \`${script}\`, which an npm client would run`);
}
