import { existsSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { nodeBinaries } from "../support/nodes.ts";
import { sweep } from "../support/sweep.ts";
import {
  CLAUDE_VERSION,
  type Client,
  CODEX_VERSION,
  claudeOf,
  clientsFolder,
  codexOf,
  ensureClient,
  findClient,
  MASTRA_VERSION,
  mastraOf,
} from "./clients.ts";
import { drwnBinary } from "./drwn.ts";
import { EARLIER, OTHER_CLIENTS, type OtherClient } from "./other-clients.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the pinned native Claude Code program. */
    claude: string;
    /** Path of the pinned native Codex program. */
    codex: string;
    /** The folder with the packages of the pinned Mastra. */
    mastra: string;
    /** The Node that Mastra needs. */
    node22: string;
    /** Paths of the other clients that are installed. */
    others: Partial<Record<OtherClient, string>>;
    /** Paths of clients in the version before the pinned one, which the seed drew, and those that are installed. */
    earlier: Partial<Record<keyof typeof EARLIER, string>>;
  }
}

/** Runs once before all cases, in vitest's own process. Only this uses the network. */
export default async function setUp({ provide }: TestProject): Promise<void> {
  if (!existsSync(drwnBinary)) throw new Error(`${drwnBinary} is missing: run npm run e2e, which builds it`);
  const folder = clientsFolder(process.env);
  provide("claude", await ensureClient(folder, claudeOf(CLAUDE_VERSION)));
  provide("codex", await ensureClient(folder, codexOf(CODEX_VERSION)));
  provide("mastra", await ensureClient(folder, mastraOf(MASTRA_VERSION)));
  const { found, missing } = await nodeBinaries({ majors: [22], mayInstall: true });
  const [node22] = found;
  if (node22 === undefined) throw new Error(`Mastra wants Node 22: ${missing[0]?.reason}`);
  provide("node22", node22.path);
  const others = Object.entries(OTHER_CLIENTS) as [OtherClient, Client][];
  const installed: Partial<Record<OtherClient, string>> = {};
  for (const [name, client] of others) {
    const program = process.env["DRWN_E2E_ALL"] ? await ensureClient(folder, client) : findClient(folder, client);
    if (program !== undefined) installed[name] = program;
  }
  provide("others", installed);
  provide("earlier", await drawEarlier(folder));
  // npm has done its work, and Node starts four times slower with them: vitest's workers, too.
  delete process.env["NODE_EXTRA_CA_CERTS"];
}

/** Without DRWN_E2E_ALL, one of the first three, which every run has. */
async function drawEarlier(folder: string): Promise<Partial<Record<keyof typeof EARLIER, string>>> {
  const all = Object.entries(EARLIER).slice(0, process.env["DRWN_E2E_ALL"] ? undefined : 3);
  const isDrawn = process.env["DRWN_SWEEP_SEED"] !== undefined;
  const programs = isDrawn
    ? await Promise.all(
        sweep(all, 1).map(async ([name, client]) => [name, await ensureClient(folder, client)] as const),
      )
    : Object.entries(EARLIER).map(([name, client]) => [name, findClient(folder, client)] as const);
  return Object.fromEntries(programs.filter(([, program]) => program !== undefined));
}
