import fs from "node:fs";
import path from "node:path";
import type { Host } from "../../src/kernel/host.ts";
import { initProject } from "../../src/operations/init.ts";
import { openRegistryOf } from "../../src/operations/registries.ts";
import type { packedCard as pack } from "./cards.ts";
import { packedCard, temporaryFolder } from "./cards.ts";

const NOW = new Date("2026-01-31T12:00:00.000Z");

/** A user's machine with nothing on it. */
export function freshHost(env: Host["env"] = {}): Host {
  const home = temporaryFolder();
  return {
    cwd: home,
    home,
    drwnHome: path.join(home, ".agents", "drwn"),
    env: { PATH: process.env["PATH"], HOME: home, ...env },
    now: () => NOW,
    nodePath: path.join(home, "node", "bin", "node"),
    progress: () => {},
  };
}

/** The same machine in a project of its own, or in the one that is given. */
export function inProject(host: Host, root?: string): Host & { cwd: string } {
  const there = { ...host, cwd: root ?? temporaryFolder() };
  if (root === undefined) initProject(there);
  return there;
}

/** A copy of what the project commits, as another machine would clone it. */
export function cloneOf(project: Host): string {
  const clone = temporaryFolder();
  fs.cpSync(path.join(project.cwd, ".agents"), path.join(clone, ".agents"), { recursive: true });
  return clone;
}

export async function publish(host: Host, parts: Parameters<typeof pack>[0]) {
  const card = await packedCard(parts);
  await (await openRegistryOf(host, card.manifest.name)).publish(card, NOW);
  return card;
}
