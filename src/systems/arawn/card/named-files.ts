import fs from "node:fs";
import path from "node:path";

/** More files than any plugin has, so that drwn doesn't search somebody's whole disk. */
const MOST_FILES = 2_000;

/** The files of a plugin that a script names, relative to its folder. A card with the script alone lacks them. */
export function pluginFilesNamedIn(text: string, { folder, own }: { folder: string; own: string }): string[] {
  return filesBelow(folder).filter((file) => path.join(folder, file) !== own && isNamed(path.basename(file), text));
}

const OF_NAMES = /[\w.-]/u;

/** Whether the text has the name, and not just as a part of a longer name. */
function isNamed(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = [text[at - 1] ?? " ", text[at + name.length] ?? " "];
    if (!around.some((character) => OF_NAMES.test(character))) return true;
  }
  return false;
}

function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const folders = [""];
  for (let next = folders.shift(); next !== undefined && found.length < MOST_FILES; next = folders.shift()) {
    for (const entry of fs.readdirSync(path.join(folder, next), { withFileTypes: true })) {
      const name = path.join(next, entry.name);
      if (entry.isDirectory() && folders.length < MOST_FILES) folders.push(name);
      // A link may lead to a file or to a folder: a script finds either by its name.
      else if (entry.isFile() || entry.isSymbolicLink()) found.push(name);
    }
  }
  return found.sort().slice(0, MOST_FILES);
}
