import { DEADLINES } from "../contract/deadlines.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import type { LifecycleAdapter } from "../hook-base/adapter/adapter.ts";
import type { Host } from "../kernel/host.ts";
import type { Finding } from "../kernel/problem.ts";
import type { AgentId } from "../policy/event.ts";
import type { LifecycleEvent } from "../policy/lifecycle-events.ts";
import type { CallReport } from "./canary-call.ts";
import type { Change } from "./changes.ts";
import type { JsonOriginal } from "./json-file.ts";
import type { HookPhase } from "./launcher.ts";
import type { PlannedServers, ServersRequest } from "./servers.ts";
import type { ToolEffect } from "./tool-effects.ts";
import type { SettingsLevel } from "./write-record.ts";

/** Where an agent looks: a user's machine and a project's folder. */
export interface AgentContext {
  host: Pick<Host, "cwd" | "drwnHome" | "env" | "home">;
  /** The project's folder. */
  root: string;
}

/** What shows that an agent is on this machine, or for an agent of projects, in this one. Any of them is enough. */
export interface AgentSigns {
  /** Its program, by its names on PATH. */
  programs: readonly string[];
  /** Folders that the agent makes: with its settings, or with its transcripts. */
  folders(place: AgentContext): readonly string[];
  /** The file that holds the entry for every folder. Absent: the agent's entry is only in a project. */
  entry?(host: AgentContext["host"]): string;
}

export interface HooksRequest extends AgentContext {
  wiring: SettingsLevel;
  /** Whether to guard the project in this agent, even if nothing runs there yet. Absent: no. */
  isGuarded?: boolean;
  /** What the policies of this project want. */
  own: readonly PolicyTrigger[];
  /** What the policies of other projects want that share the user's own settings of the agent. */
  others: readonly PolicyTrigger[];
  /**
   * What to do with the entry that a project commits for everybody: put it there, keep it where it is, or take it out.
   */
  shared: "put" | "keep" | "take-out";
  /** What is remembered of a settings file from before drwn changed it. */
  originalOf: (file: string) => JsonOriginal | undefined;
}

export interface ManagedHooksRequest {
  /** The home with what root wants for every user. */
  home: string;
  policies: readonly PolicyTrigger[];
  originalOf: (file: string) => JsonOriginal | undefined;
  /** Whether users' mods may be loaded beside it; undefined: as before. */
  hasMods?: boolean | undefined;
}

export interface PlannedHooks {
  /** The settings file that holds this project's hook. */
  file: string;
  changes: Change[];
  /** By file, what must be saved before the changes are made: without it they could not be undone. */
  originals: ReadonlyMap<string, JsonOriginal>;
}

export interface CheckRequest extends AgentContext {
  /** The settings file that holds the hook. */
  file: string;
  /** Whether its program is asked, too. Absent: it isn't. */
  isAsked?: boolean;
}

/** Entries that the machine's owner has put where no user can change them. */
export interface ManagedEntry {
  /** The first file with one of them. */
  file: string;
  /** What disables or may disable even these. */
  findings: Finding[];
}

/** How drwn asks an agent's program what it loaded. */
interface AgentQuestion {
  /** The program's name on PATH. */
  program: string;
  /** The files on which its answer depends. */
  files(request: CheckRequest): string[];
  ask(request: CheckRequest): Promise<AgentAnswer>;
}

export interface AgentAnswer {
  /** A finding `NOT_INSTALLED` says that the program can't be asked here. */
  findings: Finding[];
  /** Whether the program itself said what it loaded, or that it can't heed drwn's entry. */
  isAnswered: boolean;
}

/** A way in which a user can undo even the entry of the machine's owner, and what closes it. */
export interface Bypass {
  message: string;
  hint: string;
}

/** The code of a finding that isn't a fault: the agent's program isn't here to be asked. */
export const NOT_INSTALLED = "agent-not-installed";

/** A file of a repository from which an agent takes variables for its hooks, or that switches them off. */
export interface VariableFile {
  title: string;
  /** Its path, from the folder in which a session starts. A JSON file has variables in `env`, a TOML file none, another one a line for each. */
  file: RegExp;
  /** The setting in this file, in a folder below, that disables or replaces the hooks of a session started there. */
  findSwitch?: (file: string) => string | null;
  /** Variables with which the agent starts without hooks. */
  minimal?: readonly string[];
  /** The agent looks for this file, and for `.env`, in every folder above, too. */
  above?: string;
}

/** What drwn writes for one agent, and how it takes that out again. Its events are the business of its `Adapter`. */
export interface Target {
  runtime: AgentId;
  /**
   * What the agent's own tools do, by the names under which policies know them; undefined: not known. A newer agent may
   * have others.
   */
  tools?: Readonly<Record<string, ToolEffect>>;
  /** What drwn does at each event that the agent has for hooks, or why nothing; undefined: drwn knows no others than it asks for. */
  events?: Readonly<Record<string, string>>;
  /** Measured with the real program; undefined: no file of a repository does that. */
  variables?: VariableFile;
  /** Its entry is only in the project: nothing of the user's own makes the agent call the hook in other folders. */
  isProjectOnly?: true;
  /**
   * The changes that make the agent ask the hook about what is wanted. If nothing is wanted, they take everything of
   * drwn's out.
   */
  planHooks(request: HooksRequest): PlannedHooks;
  /** The file with the entry that a project commits for everybody; null: there is none. Absent: the agent has no such place. */
  committedEntry?(place: AgentContext): string | null;
  /**
   * The changes that make the agent ask the hook for every user, in files that only root can write. Without policies,
   * they take everything of drwn's out. Absent: the agent has no such place, or nobody has tried it.
   */
  planManaged?(request: ManagedHooksRequest): PlannedHooks;
  /** Names of its files beside the project's own in `.agents/drwn/`. */
  projectFiles?: readonly string[];
  /** The folder of the project's skills; null: the agent has none. */
  skillsFolder(root: string): string | null;
  /** The agent in whose project file this one also finds its MCP servers. What is planned for that agent counts. */
  serversOf?: AgentId;
  /**
   * The changes that make the agent start these MCP servers in the project; null: it cannot be told to, or not on its
   * own.
   */
  planServers(request: Omit<ServersRequest, "file">): PlannedServers | null;
  /** What it does without asking any hook: `what` is the rest of a sentence, `like` the tool that does the same. */
  unasked?: { what: string; like: string };
  /**
   * Whom the agent asks before it starts such a server, as a clause. Absent: it has no servers, or nobody has tried it.
   */
  startsServers?: string;
  /**
   * The owner's entries, if they ask the hook about everything that these policies want; null: they don't. Absent:
   * there is no such place.
   */
  managedEntry?(request: AgentContext & { policies: readonly PolicyTrigger[] }): ManagedEntry | null;
  /**
   * What a user can do to undo even the entry of the machine's owner, except for what the owner has closed. It is shown
   * where the owner looks.
   */
  findBypasses?(place: AgentContext): Bypass[];
  /** Other hooks that it asks before a call. Absent: nobody has tried what they can do. */
  checkBeside?(place: AgentContext): Finding[];
  /**
   * Finds what in files and in the environment keeps the agent from calling the hook or from heeding it. Starts
   * nothing.
   */
  check(request: CheckRequest): Finding[];
  /** Absent: nobody can ask it what it loaded. */
  question?: AgentQuestion;
  /** What its entry says at an event that it holds if the hook did not answer. Absent: an exit code is enough. */
  refusalAt?(phase: HookPhase): string | undefined;
  calls: CallReport;
}

/** The parts of a policy that say for which events it has to be called. */
export type PolicyTrigger = Pick<PlannedPolicy, "matcher" | "phases">;

/** How many seconds an agent is asked to wait for the hook. */
export const AGENT_TIMEOUT_SECONDS = DEADLINES.agent / 1000;

/** The lifecycle events of an agent that some lifecycle hook wants, each with the agent's own name. */
export function wantedLifecycleEvents(
  { names, newTurn }: LifecycleAdapter,
  policies: readonly PolicyTrigger[],
): (readonly [LifecycleEvent, string])[] {
  const wanted = new Set<string>(policies.flatMap(({ phases }) => phases));
  if (newTurn !== undefined && wanted.has("turn.stop")) wanted.add(newTurn);
  return names.filter(([event]) => wanted.has(event));
}
