import path from "node:path";
import { findAdapter } from "../agents/adapters.ts";
import { targetsOf } from "../agents/targets.ts";
import type { CardFiles } from "../card/files.ts";
import { type Manifest, skillsOf } from "../card/manifest.ts";
import { type DescribedSkill, describeSkill } from "../card/skill/skill-code.ts";
import type { Approval, Ledger } from "../contract/ledger.ts";
import { drwn } from "../kernel/advice.ts";
import { type Finding, isProblem, Problem } from "../kernel/problem.ts";
import type { AgentId } from "../policy/event.ts";
import type { InstalledCard } from "../project/open/installed-card.ts";
import { isStored, readStored } from "../registry/store.ts";
import type { Change } from "../wiring/changes.ts";
import { planSkills } from "../wiring/skills.ts";
import type { WriteRecord } from "../wiring/write-record.ts";
import { approvalInForce, type CardActivation } from "./plan/activations.ts";
import { planUnlessUneditable } from "./plan-wiring.ts";

type SkillFiles = ReadonlyMap<string, ReadonlyMap<string, Buffer>>;

interface ContentRequest {
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

interface Content {
  changes: Change[];
  skills: WriteRecord["skills"];
  servers: WriteRecord["servers"];
  /** Files that stay because somebody changed them after drwn wrote them. */
  leftUntouched: string[];
  /** Agents without the MCP servers that they should have. */
  findings: Finding[];
}

/** Puts skills and MCP servers of the installed cards where the project's agents look for them. */
export function planContent(request: ContentRequest): Content {
  const content: Content = { changes: [], skills: {}, servers: {}, leftUntouched: [], findings: [] };
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
    content.leftUntouched.push(...planned.leftUntouched);
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
    content.leftUntouched.push(...planned.leftUntouched);
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

function refuseSecondOwner(
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

/** A skill that doesn't reach the agents in the version that is installed. */
export interface WithheldSkill {
  card: string;
  version: string;
  skill: string;
  /** `refused`: it can be read in two ways. `code`: nobody has consented to what it would make an agent do. */
  why: "refused" | "code";
  /** What is wrong with it; null: it is code. */
  fault: string | null;
  /** The state of its card's consent. */
  activation: CardActivation["activation"] | undefined;
  /** The version of the card whose skill of this name the agents have instead; null: they have none. */
  instead: string | null;
}

interface SkillsRequest {
  home: string;
  cards: readonly InstalledCard[];
  activations: readonly CardActivation[];
  ledger: Ledger | undefined;
}

/**
 * The skills that may reach the agents: those that are text, and those that are code if a consent covers exactly their
 * files. If the installed version waits, the skill of the version that was approved last stays, like its hooks.
 */
export function decideSkills({ home, cards, activations, ledger }: SkillsRequest): {
  skills: SkillFiles;
  withheld: WithheldSkill[];
} {
  const skills = new Map<string, ReadonlyMap<string, Buffer>>();
  const withheld: WithheldSkill[] = [];
  const owners = new Map<string, string>();
  for (const card of cards) {
    const { name, version } = card.locked;
    const decided = activations.find((one) => one.card === name);
    const activation = decided?.activation ?? whenRevoked(ledger, name);
    const approval = decided === undefined ? undefined : approvalInForce(decided);
    for (const skill of skillsOf(card.manifest)) {
      refuseSecondOwner(owners, { what: "skill", name: skill, card: name });
      const judged = judge(card.files, skill);
      const isFree = typeof judged !== "string" && (judged.code.length === 0 || isConsentedTo(judged, approval));
      const earlier = isFree ? undefined : readApproved(home, approval, skill);
      const files = isFree ? card.files : earlier;
      if (files !== undefined) skills.set(skill, filesOf(files, skill));
      if (isFree) continue;
      const fault = typeof judged === "string" ? judged : null;
      const instead = earlier === undefined ? null : (approval?.cardVersion ?? null);
      withheld.push({
        card: name,
        version,
        skill,
        why: fault === null ? "code" : "refused",
        fault,
        activation,
        instead,
      });
    }
  }
  return { skills, withheld };
}

/** A card without hooks has no activation if its consent was withdrawn. */
function whenRevoked(ledger: Ledger | undefined, name: string): CardActivation["activation"] | undefined {
  const isRevoked = ledger?.grants.some(({ card, revokedAt }) => card === name && revokedAt !== null) === true;
  return isRevoked ? { state: "off", why: "revoked" } : undefined;
}

/** Describes a skill; a string says why that isn't possible. */
function judge(files: CardFiles, skill: string): DescribedSkill | string {
  try {
    return describeSkill(files, skill);
  } catch (error) {
    if (isProblem(error)) return error.message;
    throw error;
  }
}

function isConsentedTo({ name, digest }: DescribedSkill, approval: Approval | undefined): boolean {
  const { skills = {} } = approval ?? {};
  return Object.hasOwn(skills, name) && skills[name] === digest;
}

/** The files of the version in force, if its consent covers this skill and they are still on this machine. */
function readApproved(home: string, approval: Approval | undefined, skill: string): CardFiles | undefined {
  if (approval === undefined || !isStored(home, approval.tree)) return undefined;
  const files = readStored(home, approval.tree);
  const judged = judge(files, skill);
  return typeof judged !== "string" && isConsentedTo(judged, approval) ? files : undefined;
}

function filesOf(files: CardFiles, skill: string): Map<string, Buffer> {
  const prefix = `skills/${skill}/`;
  const own = [...files].filter(([file]) => file.startsWith(prefix));
  return new Map(own.map(([file, bytes]) => [file.slice(prefix.length), bytes]));
}
