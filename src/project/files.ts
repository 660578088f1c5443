import path from "node:path";

/** drwn's own files that a project commits. */
export const projectFiles = {
  folder: (root: string) => path.join(root, ".agents", "drwn"),
  config: (root: string) => path.join(root, ".agents", "drwn", "config.json"),
  lock: (root: string) => path.join(root, ".agents", "drwn", "card.lock"),
  vendor: (root: string) => path.join(root, ".agents", "drwn", "vendor"),
  trustRequest: (root: string) => path.join(root, ".agents", "drwn", "trust.json"),
} as const;
