import fs from "node:fs";
import path from "node:path";

const folder = path.resolve(import.meta.dirname, "../../templates/cards");

/** The cards that come with drwn, by name without the scope. */
export const CATALOGUE: readonly string[] = fs
  .readdirSync(folder)
  .filter((name) => fs.existsSync(path.join(folderOf(name), "card.json")));

export function folderOf(card: string): string {
  return path.join(folder, card);
}
