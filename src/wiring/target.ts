import type { Finding } from "../kernel/finding.ts";
import type { Host } from "../kernel/host.ts";
import type { Runtime } from "../policy/event.ts";
import type { CallReport } from "./canary-call.ts";
import type { Change } from "./changes.ts";
import type { JsonOrigin } from "./json-edit.ts";
import type { EntryManners, HookPhase } from "./launcher.ts";
import type { PlannedServers, ServersRequest } from "./servers.ts";
import type { WantingPolicy } from "./wanted.ts";
import type { Wiring } from "./written.ts";

/** Where an agent looks: the machine of a user, and the folder of a project. */
export interface AgentPlace {
  host: Pick<Host, "cwd" | "drwnHome" | "env" | "home">;
  /** The project's folder. */
  root: string;
}

export interface HooksRequest extends AgentPlace {
  wiring: Wiring;
  /** Whether to guard the project in this agent, even if nothing runs there yet. Absent: no. */
  isGuarded?: boolean;
  /** What the policies of this project want. */
  own: readonly WantingPolicy[];
  /** What those of other projects want that share the user's own settings of the agent. */
  others: readonly WantingPolicy[];
  /** Of the entry that a project commits for everybody: put it there, keep it where it is, or take it out. */
  shared: "put" | "keep" | "take-out";
  /** What is remembered of a settings file from before drwn came into it. */
  originOf: (file: string) => JsonOrigin | undefined;
}

export interface SystemHooksRequest {
  /** Where lies what root wants for every user. */
  home: string;
  /** What is put in front of every path that is written to: "" for this machine. */
  below: string;
  policies: readonly WantingPolicy[];
  originOf: (file: string) => JsonOrigin | undefined;
  /** Whether mods of users may be loaded beside it; undefined: as it was. */
  hasMods?: boolean | undefined;
}

export interface PlannedHooks {
  /** The settings file that carries the hook of this project. */
  file: string;
  changes: Change[];
  /** By file, what must be remembered before the changes are made: without it they could not be undone. */
  origins: ReadonlyMap<string, JsonOrigin>;
}

export interface CheckRequest extends AgentPlace {
  /** The settings file that carries the hook. */
  file: string;
  /** Its program is asked as well. Absent: it isn't. */
  isAsked?: boolean;
}

/** Entries that the machine's owner has put where no user can change them. */
export interface OwnersEntry {
  /** The first file with one of them. */
  file: string;
  /** What undoes or may undo even these. */
  findings: Finding[];
}

export interface LiveRequest {
  env: Readonly<Record<string, string | undefined>>;
  /** Stands for the user's; nothing outside of it is read. */
  home: string;
  project: string;
  commands: readonly string[];
}

/** How the agent ended, with the end of what it said about it. */
export type LiveRun = { state: "not-installed" } | { state: "ended"; status: number | null; said: string };

/**
 * `run`: one turn of the installed agent, offline and in this home, in which a model of ours asks for these shell commands.
 * `cannot`: why the agent is not to be run so, as a clause about it.
 */
export type LiveTrial = { run(request: LiveRequest): Promise<LiveRun> } | { cannot: string };

/** What drwn writes for one agent, and how it takes that out again. Its events are the business of its `Adapter`. */
export interface WayRound {
  message: string;
  hint: string;
}

export interface Target {
  runtime: Runtime;
  /** The names that policies know the agent's own tools by; undefined: not known. A newer agent may have others. */
  tools?: readonly string[];
  /** Its entry lies in the project alone: nothing of the user's own makes the agent call the hook in other folders. */
  isOfProjects?: true;
  /** Whether there are signs that the agent is used on this machine or in this project. */
  isInUse(place: AgentPlace): boolean;
  /** The changes after which the agent asks the hook about what is wanted; nothing wanted: all of drwn is taken out. */
  planHooks(request: HooksRequest): PlannedHooks;
  /** The file with the entry that a project commits for everybody; null: there is none. Absent: the agent has no such place. */
  committedEntry?(place: AgentPlace): string | null;
  /**
   * The changes after which the agent asks the hook for every user, in files that root alone writes to; no policies: all of drwn is taken
   * out. Absent: it has no such place, or nobody has tried it.
   */
  planSystem?(request: SystemHooksRequest): PlannedHooks;
  /** Names of the files that it has beside the project's own, in `.agents/drwn/`. */
  projectFiles?: readonly string[];
  /** The folder of the project's skills; null: the agent has none. */
  skillsFolder(root: string): string | null;
  /** The agent in whose file of the project it finds its MCP servers, too: what is planned for that one counts. */
  serversOf?: Runtime;
  /** The changes after which the agent starts these MCP servers in the project; null: it cannot be told to, or not by itself. */
  planServers(request: Omit<ServersRequest, "file">): PlannedServers | null;
  /** Whom the agent asks before it starts such a server, as a clause. Absent: it has no servers, or this was not tried. */
  startsServers?: string;
  /** The owner's entries, if they ask the hook about all that these policies want; null: they don't. Absent: there is no such place. */
  ownersEntry?(request: AgentPlace & { policies: readonly WantingPolicy[] }): OwnersEntry | null;
  /**
   * What a user can do that undoes even the entry of the machine's owner, each with what closes it, but for what the owner has closed: shown
   * where the owner looks.
   */
  waysRound?(place: AgentPlace): WayRound[];
  /** Other hooks that it asks before a call. Absent: what they can do was not tried. */
  checkBeside?(place: AgentPlace): Finding[];
  /** What in files and in the environment keeps the agent from calling the hook, or from heeding it. Nothing is started. */
  check(request: CheckRequest): Finding[];
  /** What only the program itself can tell of that. Absent: there is nothing. */
  ask?(request: CheckRequest): Promise<Finding[]>;
  live: LiveTrial;
  /** What its entry makes of the hook's answer; absent: nothing. */
  mannersAt?(phase: HookPhase): EntryManners;
  calls: CallReport;
}
