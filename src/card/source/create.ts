import path from "node:path";
import { createAtomic, lstatIfThere } from "../../kernel/files.ts";
import { formatJson } from "../../kernel/format/json.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { MANIFEST_FILE, manifestJsonSchema } from "../manifest.ts";
import { parseCardName } from "../name.ts";
import {
  type ChangeOptions,
  carryOut,
  placeTemplate,
  readFolder,
  readTemplate,
  type SourceChange,
} from "./edit-source.ts";
import { readManifest } from "./source.ts";

interface NewSource extends ChangeOptions {
  /** Absolute. The folder may exist, as long as it holds no card source; existing files stay as they are. */
  dir: string;
  name: string;
  /** A source to copy instead of starting with an empty card; the copy gets the new name and the first version. */
  from?: string | undefined;
}

/** With it an editor can complete and check card.json; it isn't packed. */
const SCHEMA_FILE = ".drwn/card.schema.json";
const FIRST_VERSION = "1.0.0";

/** Scaffolds a card source. card.json comes last: until then a person can simply run the command again. */
export function createSource({ dir, name, from, dryRun = false }: NewSource): SourceChange[] {
  const manifest = path.join(dir, MANIFEST_FILE);
  const card = parseCardName(name);
  if (lstatIfThere(manifest) !== undefined) throw exists(dir);
  const copied = from === undefined ? [] : readFolder(from).filter(({ path: file }) => file !== MANIFEST_FILE);
  const files = [
    ...copied,
    ...readTemplate("card", { CARD: card }),
    { path: SCHEMA_FILE, content: manifestJsonSchema() },
  ];
  const begun = from === undefined ? { description: "" } : readManifest(from);
  const own = { $schema: `./${SCHEMA_FILE}`, name: card, version: FIRST_VERSION };
  const content = formatJson({ ...own, ...begun, ...own });
  const changes = [
    { action: "create-source", path: dir, carryOut: () => placeTemplate(files, dir) },
    {
      action: "create-manifest",
      path: manifest,
      carryOut: () => {
        if (!createAtomic(manifest, content, 0o644)) throw exists(dir);
      },
    },
  ];
  return carryOut(changes, { dryRun });
}

function exists(dir: string): Problem {
  return new Problem("DRWN_SOURCE_EXISTS", `there is a card source in ${clean(dir)} already`, {
    hint: "name another folder with --into",
  });
}
