import { existsSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { clientsFolder, ensureClaude, ensureCodex } from "./clients.ts";
import { drwnBinary } from "./drwn.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the pinned native Claude Code program. */
    claude: string;
    /** Path of the pinned native Codex program. */
    codex: string;
  }
}

/** Runs once before all cases, in vitest's own process: here the network is used, nowhere else. */
export default async function setUp({ provide }: TestProject): Promise<void> {
  if (!existsSync(drwnBinary)) throw new Error(`${drwnBinary} is missing: run npm run e2e, which builds it`);
  const folder = clientsFolder(process.env);
  provide("claude", await ensureClaude(folder));
  provide("codex", await ensureCodex(folder));
}
