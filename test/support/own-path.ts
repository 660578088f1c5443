import path from "node:path";

/** Without what npm and npx put before it: programs of our own dependencies, which a person who uses drwn doesn't have. */
export const OWN_PATH = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .filter((entry) => !/[\\/]node_modules[\\/]\.bin$/u.test(entry))
  .join(path.delimiter);
