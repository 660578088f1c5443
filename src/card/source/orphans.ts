import fs from "node:fs";
import path from "node:path";
import { handlerFileOf } from "../compiler/handler-module.ts";
import { casesFileOf } from "../hooks/cases.ts";
import { hooksOf, type Manifest } from "../manifest.ts";

/** The folders in `hooks` or `skills` of a source that its card.json doesn't list. */
export function listOrphans(dir: string, folder: "hooks" | "skills", declared: readonly string[]): string[] {
  const parent = path.join(dir, folder);
  if (!fs.existsSync(parent)) return [];
  return fs
    .readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !declared.includes(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** Only those that are hooks, or have cases: code that hooks share may be there, too. */
export function listUnlistedHooks(dir: string, manifest: Manifest): string[] {
  return listOrphans(dir, "hooks", hooksOf(manifest)).filter((name) =>
    [`hooks/${name}/policy.ts`, handlerFileOf(name), casesFileOf(name)].some((file) =>
      fs.existsSync(path.join(dir, file)),
    ),
  );
}
