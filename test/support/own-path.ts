import path from "node:path";

/**
 * The PATH without what npm and npx put in front: programs of our own dependencies, which a user of drwn doesn't have.
 */
export const OWN_PATH = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .filter((entry) => !/[\\/]node_modules[\\/]\.bin$/u.test(entry))
  .join(path.delimiter);
