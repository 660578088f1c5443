import fs from "node:fs";
import path from "node:path";

/** False if the sources themselves run, as in the tests. */
export function isBuilt(): boolean {
  return !import.meta.filename.endsWith(".ts");
}

/** A file that comes with drwn, by its path in the package. The calling code may be bundled anywhere. */
export function packageFile(relative: string): string {
  return path.join(packageRoot(), relative);
}

function packageRoot(): string {
  let folder = path.dirname(import.meta.filename);
  while (!fs.existsSync(path.join(folder, "package.json"))) folder = path.dirname(folder);
  return folder;
}
