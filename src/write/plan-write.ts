import { targetsOf } from "../agents/targets.ts";
import { type DescribedServer, describeServersOf } from "../card/server.ts";
import { layout } from "../contract/layout.ts";
import { drwn } from "../kernel/advice.ts";
import { formatJson } from "../kernel/format/json.ts";
import type { Host } from "../kernel/host.ts";
import { type Finding, Problem } from "../kernel/problem.ts";
import { AGENT_IDS, type AgentId } from "../policy/event.ts";
import { editConfig } from "../project/config.ts";
import type { LockedCard } from "../project/lock.ts";
import { type InstalledCard, readInstalled } from "../project/open/installed-card.ts";
import { readJoinFacts } from "../project/open/join-facts.ts";
import { type OpenProject, requireLockInStep } from "../project/open/open-project.ts";
import { readTrustRequest } from "../project/trust-request.ts";
import { type Change, planFile } from "../wiring/changes.ts";
import type { ServersRecord } from "../wiring/servers.ts";
import type { SkillsRecord } from "../wiring/skills.ts";
import { NOTHING_WRITTEN, readWriteRecord, type SettingsLevel, type WriteRecord } from "../wiring/write-record.ts";
import { collectServers, decideSkills, planContent, type WithheldSkill } from "./content.ts";
import { type HookRequest, type HookState, planHookState } from "./plan/hook-state.ts";
import { EVERY_CALL } from "./plan/plan-in-force.ts";
import { checkRequirements, planRequirements, type Requirements } from "./plan/requirements.ts";
import { type AgentChoice, planWiring, type WiredAgent, wantedAgents } from "./plan-wiring.ts";
import { planProgram, requireRootOwnedNode, requireRootOwnedPackage } from "./program.ts";

/** Everything that `write` would do, decided and verified, but not written. */
export interface WritePlan extends Omit<HookState, "bundles" | "state"> {
  project: OpenProject;
  /** What the project asks for afterwards: where its choice of agents is in its config.json, with this choice. */
  nextConfig: OpenProject["config"];
  cards: InstalledCard[];
  /** Skills that don't reach the agents in the version that is installed. */
  withheld: WithheldSkill[];
  requirements: Requirements;
  parts: WriteParts;
  /** All parts except the last, in the order in which they are made. */
  changes: Change[];
  /** The agents that call the hook, each with the settings file that makes it do so. */
  agents: WiredAgent[];
  /** Agents that called it so far, and shall stop. */
  unwired: AgentId[];
  /** The entry moves from the user's own settings into the project's: sessions that start in a folder below don't read it. */
  isNarrowed: boolean;
  /** Files that stay because somebody changed them after drwn wrote them. */
  leftUntouched: string[];
  /** Agents without the MCP servers that they should have. */
  unserved: Finding[];
}

/** The changes, by purpose: state before settings, so that an agent's entry never points at nothing. */
interface WriteParts {
  program: Change[];
  bundles: Change[];
  state: Change[];
  records: Change[];
  settings: Change[];
  /** Files of skills to remove. */
  removals: Change[];
  content: Change[];
  /** Made when everything else is done: the record forgets what is gone. */
  closing: Change[];
}

export interface WriteRequest extends AgentChoice {
  /** Which settings file carries the hook; undefined: as it was. */
  wiring: SettingsLevel | undefined;
  /** For what root wants for every user: whether users' mods may be loaded beside it; undefined: as it was. */
  hasMods?: boolean | undefined;
  /** Put an entry into the settings that the project commits; it blocks calls wherever a requirement is unmet. */
  shared?: boolean | undefined;
  /** Cards that aren't on this machine: no skill or server of them is written, and hooks of them that are in force stay. */
  unfetched?: readonly { card: string }[];
}

export async function planWrite(host: Host, project: OpenProject, request: WriteRequest): Promise<WritePlan> {
  requirePlatform();
  requireLockInStep(project);
  const { drwnHome: home } = host;
  const { root, key, identity, ledger, config } = project;
  const isLeft = ({ name }: LockedCard) => request.unfetched?.some(({ card }) => card === name) === true;
  const cards = project.lock.cards.filter((locked) => !isLeft(locked)).map((locked) => readInstalled(home, locked));
  const written = readWriteRecord(home, key) ?? NOTHING_WRITTEN;
  const wiring = project.isGlobal ? "user" : (request.wiring ?? written.wiring);
  const { runtimes, chosen } = wantedAgents(host, project, { written, choice: request });
  if (host.scope === "system") requireSystemAgents(runtimes);
  else if (project.isGlobal) refuseOfProjects(runtimes);

  const rules = readJoinFacts(host);
  const asked = askedOptionsIn(root);
  const { bundles, state, ...hooks } = await planHookState({
    home,
    key,
    identity,
    cards,
    ledger,
    joinFacts: rules,
    asked,
  });
  // A lost ledger isn't a withdrawal: the entry stays, and the hook that it starts blocks.
  const policies = project.isLedgerLost ? [EVERY_CALL] : hooks.plan.policies;
  const shared = (config.requireHooks ?? []).length === 0 ? "take-out" : request.shared === true ? "put" : "keep";
  const entries = planWiring({
    host,
    root,
    key,
    wiring,
    runtimes,
    former: written.runtimes,
    policies,
    shared,
    leavesOut: host.scope !== "system",
    hasMods: request.hasMods,
  });
  const { skills: free, withheld } = decideSkills({ home, cards, activations: hooks.activations, ledger });
  const brought = project.isGlobal ? { cards: [], skills: new Map() } : { cards, skills: free };
  const content = planContent({ root, ...brought, runtimes, written, planned: entries.settings, leavesOut: true });
  const requirements = checkRequirements(config, hooks.activations);
  const { skills, servers } = content;
  const after: WriteRecord = {
    version: 2,
    folder: written.folder ?? identity.path,
    wiring,
    runtimes,
    ...(project.isGlobal || chosen === undefined ? {} : { chosen }),
    skills,
    servers,
  };
  const nextConfig = project.isGlobal ? withChoice(config, chosen) : config;
  const record = planWrittenSteps({ home, key, before: written, after });
  const parts: WriteParts = {
    program: policies.length > 0 ? planProgramOf(host) : [],
    bundles,
    state: [...planRequirements({ home, key }, requirements), ...state],
    records: [...planChoice(project, nextConfig), ...record.opening, ...entries.records],
    settings: entries.settings,
    removals: content.changes.filter(({ action }) => action === "remove"),
    content: content.changes.filter(({ action }) => action !== "remove"),
    closing: record.closing,
  };
  const { closing: _, ...made } = parts;
  const unwired = written.runtimes.filter((runtime) => !runtimes.includes(runtime));
  const isNarrowed = wiring === "project" && written.wiring === "user" && written.runtimes.length > 0;
  const { agents } = entries;
  const { leftUntouched, findings: unserved } = content;
  const changes = Object.values(made).flat();
  return {
    ...hooks,
    project,
    nextConfig,
    cards,
    withheld,
    requirements,
    parts,
    changes,
    agents,
    unwired,
    isNarrowed,
    leftUntouched,
    unserved,
  };
}

/** What holds in every folder, or for every user, has the choice in its own config.json. */
function withChoice({ runtimes: _, ...others }: OpenProject["config"], chosen: readonly AgentId[] | undefined) {
  return chosen === undefined ? others : { ...others, runtimes: [...chosen] };
}

function planChoice({ root, config }: OpenProject, next: OpenProject["config"]): Change[] {
  const former = config.runtimes && [...config.runtimes].sort();
  if (next === config || JSON.stringify(former) === JSON.stringify(next.runtimes)) return [];
  const { file, content, mode } = editConfig(root, next);
  const change = planFile({ path: file, after: Buffer.from(content), what: "choice of the agents", mode });
  return change === undefined ? [] : [change];
}

function planProgramOf({ drwnHome, nodePath, scope }: Host): Change[] {
  if (scope === "system") {
    requireRootOwnedNode(nodePath);
    requireRootOwnedPackage();
  }
  return planProgram(drwnHome, nodePath);
}

/** The option values that the project asks for, by card. */
function askedOptionsIn(root: string): HookRequest["asked"] {
  const { requests } = readTrustRequest(root);
  return Object.fromEntries(Object.entries(requests).map(([card, { options = {} }]) => [card, options]));
}

function refuseOfProjects(runtimes: readonly AgentId[]): void {
  const one = targetsOf(runtimes).find(({ isProjectOnly }) => isProjectOnly);
  if (one === undefined) return;
  const others = runtimes.filter((runtime) => runtime !== one.runtime).map((runtime) => `--runtime ${runtime}`);
  throw new Problem("DRWN_AGENT_PROJECT_ONLY", `${one.runtime} is wired in each project, not for every folder`, {
    details: ["where a project's own entry calls the hook, it also asks what holds in every folder"],
    hint: drwn("write", ...(others.length === 0 ? ["--runtime all"] : others)),
  });
}

function requireSystemAgents(runtimes: readonly AgentId[]): void {
  const able = targetsOf(AGENT_IDS).flatMap(({ planManaged, runtime }) => (planManaged === undefined ? [] : [runtime]));
  const one = runtimes.find((runtime) => !able.includes(runtime));
  if (one === undefined) return;
  throw new Problem("DRWN_AGENT_NOT_MANAGEABLE", `drwn can't guard ${one} for every user`, {
    details: [`those that can: ${able.join(", ")}; for the others, drwn knows no file of root's that overrides users`],
    hint: drwn("write", ...able.map((runtime) => `--runtime ${runtime}`)),
  });
}

function requirePlatform(): void {
  if (process.platform !== "win32") return;
  throw new Problem("DRWN_PLATFORM_UNSUPPORTED", "`drwn write` does not work on Windows", {
    hint: "run it inside WSL",
  });
}

/** MCP servers that the cards bring, with what each would start and get. */
export function describeServers(cards: readonly InstalledCard[]): DescribedServer[] {
  return describeServersOf(collectServers(cards));
}

/** The two changes of the record of what was written. */
interface WrittenSteps {
  /** Before anything else in the project changes: it lists what is there and what will be. */
  opening: Change[];
  /** When everything is done: it forgets files that are gone. */
  closing: Change[];
}

interface StepsRequest {
  home: string;
  key: string;
  before: WriteRecord;
  after: WriteRecord;
}

/** With two steps, a killed process leaves nothing that the next `write` would take for somebody else's. */
function planWrittenSteps({ home, key, before, after }: StepsRequest): WrittenSteps {
  const path = layout.written(home, key);
  const record = { path, what: "record of what was written", mode: 0o600 };
  const between = joinRecords(before, after);
  const bytes = Buffer.from(formatJson(after));
  if (isSame(before, between)) return { opening: [], closing: isSame(between, after) ? [] : planRecord(record, bytes) };
  const joined = Buffer.from(formatJson(between));
  const opening = planRecord(record, joined);
  const closing: Change = { action: "update", ...record, before: joined, after: bytes };
  return { opening, closing: joined.equals(bytes) ? [] : [closing] };
}

function planRecord(record: Omit<Change, "action" | "before" | "after">, after: Buffer): Change[] {
  const change = planFile({ ...record, after });
  return change === undefined ? [] : [change];
}

function isSame(one: WriteRecord, other: WriteRecord): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A record that is true however many of the changes between the two have been made. */
function joinRecords(before: WriteRecord, after: WriteRecord): WriteRecord {
  return {
    ...after,
    runtimes: [...new Set([...after.runtimes, ...before.runtimes])].sort(),
    skills: joinEach(before.skills, after.skills, joinSkills),
    servers: joinEach<ServersRecord, AgentId>(before.servers, after.servers, joinServers),
  };
}

function joinEach<Value, Key extends string = string>(
  before: Partial<Record<Key, Value>>,
  after: Partial<Record<Key, Value>>,
  join: (before: Value, after: Value) => Value,
): Record<Key, Value> {
  const joined: Partial<Record<Key, Value>> = { ...after };
  for (const [key, value] of Object.entries<Value | undefined>(before) as [Key, Value][]) {
    const next = after[key];
    joined[key] = next === undefined ? value : join(value, next);
  }
  return joined as Record<Key, Value>;
}

function joinSkills(before: SkillsRecord, after: SkillsRecord): SkillsRecord {
  return {
    folders: [...new Set([...before.folders, ...after.folders])].sort(),
    files: joinEach(before.files, after.files, joinItems),
  };
}

function joinServers(before: ServersRecord, after: ServersRecord): ServersRecord {
  return { ...after, servers: joinEach(before.servers, after.servers, joinItems) };
}

interface Item {
  digest: string;
  former?: string;
  isAdopted: boolean;
}

function joinItems(before: Item, after: Item): Item {
  return before.digest === after.digest ? after : { ...after, former: before.digest };
}
