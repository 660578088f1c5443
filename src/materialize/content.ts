import path from "node:path";
import { findAdapter } from "../agents/adapters/calls.ts";
import { targetsOf } from "../agents/targets.ts";
import type { Manifest } from "../card/manifest.ts";
import { drwn } from "../kernel/advice.ts";
import type { Finding } from "../kernel/finding.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import type { AgentId } from "../policy/event.ts";
import type { Change } from "../wiring/changes.ts";
import { planSkills } from "../wiring/skills.ts";
import type { WriteRecord } from "../wiring/write-record.ts";
import type { InstalledCard } from "../workspace/installed-card.ts";
import { planUnlessUneditable } from "./uneditable.ts";

export type SkillFiles = ReadonlyMap<string, ReadonlyMap<string, Buffer>>;

export interface ContentRequest {
  root: string;
  cards: readonly InstalledCard[];
  /** The files of the skills that may reach an agent, by name and then by path. */
  skills: SkillFiles;
  /** The agents that get the content. */
  runtimes: readonly AgentId[];
  written: WriteRecord;
  /** Changes of settings that come before. */
  planned: readonly Change[];
  /** Leave out the MCP servers of an agent whose file cannot be edited. */
  leavesOut?: boolean;
}

export interface Content {
  changes: Change[];
  skills: WriteRecord["skills"];
  servers: WriteRecord["servers"];
  /** Files that stay because somebody changed them after drwn wrote them. */
  kept: string[];
  /** Agents without the MCP servers that they should have. */
  findings: Finding[];
}

/** Puts skills and MCP servers of the installed cards where the project's agents look for them. */
export function planContent(request: ContentRequest): Content {
  const content: Content = { changes: [], skills: {}, servers: {}, kept: [], findings: [] };
  addSkills(content, request);
  addServers(content, request);
  return content;
}

/** Agents that look into the same folder share one copy. */
function addSkills(content: Content, { root, skills: all, runtimes, written }: ContentRequest): void {
  const folders = targetsOf(runtimes).flatMap((target) => target.skillsFolder(root) ?? []);
  const wanted = new Set(folders.map((folder) => path.relative(root, folder)));
  for (const folder of new Set([...wanted, ...Object.keys(written.skills)])) {
    const skills = wanted.has(folder) ? all : new Map();
    const planned = planSkills({ folder: path.join(root, folder), root, skills, record: written.skills[folder] });
    content.changes.push(...planned.changes);
    content.kept.push(...planned.kept);
    if (planned.record !== undefined) content.skills[folder] = planned.record;
  }
}

/** Agents that read the same file share what is in it. */
function addServers(content: Content, request: ContentRequest): void {
  const { root, cards, runtimes, written, planned: settings, leavesOut = false } = request;
  const former = Object.keys(written.servers) as AgentId[];
  const wanting = new Set(targetsOf(runtimes).map(({ runtime, serversOf }) => serversOf ?? runtime));
  for (const target of targetsOf([...wanting, ...former])) {
    const servers = wanting.has(target.runtime) ? collectServers(cards) : {};
    const record = written.servers[target.runtime];
    const planned = planUnlessUneditable(() => target.planServers({ root, servers, record, planned: settings }));
    if (isProblem(planned)) {
      if (!leavesOut) throw planned;
      content.findings.push(describeUneditable(target.runtime, planned));
      if (record !== undefined) content.servers[target.runtime] = record;
      continue;
    }
    if (planned === null) continue;
    content.changes.push(...planned.changes);
    content.kept.push(...planned.kept);
    if (planned.record !== undefined) content.servers[target.runtime] = planned.record;
  }
}

/** What drwn put there before, if anything, stays in its record. */
function describeUneditable(runtime: AgentId, { message, hint }: Problem): Finding {
  const title = findAdapter(runtime)?.title ?? runtime;
  const left = `${title} has the MCP servers that it had, since its file cannot be edited: ${message}`;
  return { code: "servers-not-written", severity: "error", subject: title, message: left, hint: hint ?? null };
}

export function collectServers(cards: readonly InstalledCard[]): NonNullable<Manifest["servers"]> {
  const servers: NonNullable<Manifest["servers"]> = {};
  const owners = new Map<string, string>();
  for (const { locked, manifest } of cards) {
    for (const [name, server] of Object.entries(manifest.servers ?? {})) {
      refuseSecondOwner(owners, { what: "MCP server", name, card: locked.name });
      servers[name] = server;
    }
  }
  return servers;
}

export function refuseSecondOwner(
  owners: Map<string, string>,
  { what, name, card }: { what: string; name: string; card: string },
): void {
  const owner = owners.get(name);
  if (owner !== undefined) {
    throw new Problem("DRWN_TARGET_OCCUPIED", `${owner} and ${card} both bring the ${what} \`${name}\``, {
      hint: drwn("remove", card),
    });
  }
  owners.set(name, card);
}
