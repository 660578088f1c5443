import fs from "node:fs";
import path from "node:path";

/** More than any plugin has: somebody's whole disk is not looked through. */
const MOST_FILES = 2_000;

/** The files of a plugin that a script names, from its folder: whoever has the script alone lacks them. */
export function filesNamedIn(text: string, { folder, own }: { folder: string; own: string }): string[] {
  const words = new Set(text.split(/[\s"'`$(){}<>|;&=:,[\]]+/u).flatMap((word) => [word, path.basename(word)]));
  return filesBelow(folder).filter((file) => path.join(folder, file) !== own && words.has(path.basename(file)));
}

function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const folders = [""];
  for (let next = folders.shift(); next !== undefined && found.length < MOST_FILES; next = folders.shift()) {
    for (const entry of fs.readdirSync(path.join(folder, next), { withFileTypes: true })) {
      const name = path.join(next, entry.name);
      if (entry.isDirectory() && folders.length < MOST_FILES) folders.push(name);
      else if (entry.isFile()) found.push(name);
    }
  }
  return found.sort().slice(0, MOST_FILES);
}
