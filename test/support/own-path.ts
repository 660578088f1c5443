import fs from "node:fs";
import path from "node:path";

/**
 * The PATH without what npm and npx put in front: programs of our own dependencies, which a user of drwn doesn't have.
 * Each folder once: drwn looks for every agent in each, and most tests have it look often.
 */
export const OWN_PATH = [...new Set((process.env["PATH"] ?? "").split(path.delimiter).flatMap(realFolder))]
  .filter((entry) => !/[\\/]node_modules[\\/]\.bin$/u.test(entry))
  .join(path.delimiter);

function realFolder(entry: string): string[] {
  try {
    return [fs.realpathSync(entry)];
  } catch {
    return [];
  }
}
