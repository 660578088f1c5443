import fs from "node:fs";
import path from "node:path";
import { arawnUserSettings } from "../dialects/arawn/agent/paths.ts";
import { userHooks } from "../dialects/astrid/hook/paths.ts";
import { globalHooksFile } from "../dialects/polytoken/read/paths.ts";
import { listFolder } from "../kernel/files.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { isOnPath } from "../kernel/process.ts";
import type { AgentId } from "../policy/event.ts";
import type { AgentContext } from "../wiring/target.ts";
import { readSettingsRecord } from "../wiring/write-record.ts";
import { claudeSettingsFile } from "./claude-code/paths.ts";
import { codexHome, codexHooksFile } from "./codex/paths.ts";
import { copilotHome } from "./copilot-cli/paths.ts";
import { cursorHome } from "./cursor/paths.ts";
import { geminiSettingsFile } from "./gemini-cli/paths.ts";
import { kiloConfigFolder, kiloDataFolder } from "./kilo/paths.ts";
import { opencodeConfigFolder, opencodeDataFolder } from "./opencode/paths.ts";
import { piHome } from "./pi/paths.ts";
import { qwenHome } from "./qwen-code/paths.ts";
import { allTargets, targetsOf } from "./targets.ts";

interface FoundRequest {
  root: string;
  /** What holds in every folder. */
  isGlobal: boolean;
}

/**
 * The agents of this machine, sorted by name: their program is on PATH, or a folder of theirs is there that drwn didn't
 * make. For every user, all that drwn can guard, since nobody knows which agents a machine's users start.
 */
export function findAgents(host: Host, { root, isGlobal }: FoundRequest): AgentId[] {
  if (host.scope === "system")
    return allTargets().flatMap(({ planManaged, runtime }) => (planManaged === undefined ? [] : [runtime]));
  const made = madeFolders(host.drwnHome);
  const found = Object.entries(SIGNS).flatMap(([runtime, { programs, folders }]) => {
    const isThere =
      folders({ host, root }).some((folder) => isSign(folder, made)) ||
      programs.some((program) => isOnPath(program, host.env["PATH"] ?? ""));
    return isThere ? [runtime as AgentId] : [];
  });
  return isGlobal ? targetsOf(found).flatMap(({ isProjectOnly, runtime }) => (isProjectOnly ? [] : [runtime])) : found;
}

/** The folders that drwn made for an entry, as they end, with the file that the entry is in. */
function madeFolders(home: string): { file: string; folder: string }[] {
  try {
    return Object.entries(readSettingsRecord(home).files).flatMap(([file, { folders }]) =>
      folders.map((folder) => ({ file, folder })),
    );
  } catch (error) {
    // `write` says that the record is damaged.
    if (isProblem(error)) return [];
    throw error;
  }
}

/** A folder that drwn made is a sign as soon as anything is in it beside drwn's entry. */
function isSign(folder: string, made: readonly { file: string; folder: string }[]): boolean {
  if (!fs.existsSync(folder)) return false;
  const own = made.filter(({ file, folder: end }) => file.startsWith(folder + path.sep) && folder.endsWith(`/${end}`));
  return own.length === 0 || hasOthers(folder, own);
}

function hasOthers(folder: string, own: readonly { file: string }[]): boolean {
  try {
    return fs.readdirSync(folder).some((name) => {
      const entry = path.join(folder, name);
      return !own.some(({ file }) => file === entry || file.startsWith(entry + path.sep));
    });
  } catch {
    return true;
  }
}

/** The files that hold the agents' entries for every folder; their targets name the same. */
export function userEntryFiles(host: AgentContext["host"]): { runtime: AgentId; file: string }[] {
  return Object.entries(SIGNS).flatMap(([runtime, { entry }]) =>
    entry === undefined ? [] : [{ runtime: runtime as AgentId, file: entry(host) }],
  );
}

/** What shows that an agent is on this machine, or for an agent of projects, in this one. Any of them is enough. */
interface AgentSigns {
  /** Its program, by its names on PATH. */
  programs: readonly string[];
  /** Folders that the agent makes: with its settings, or with its transcripts. */
  folders(place: AgentContext): readonly string[];
  /** The file that holds the entry for every folder. Absent: the agent's entry is only in a project. */
  entry?(host: AgentContext["host"]): string;
}

/** Apart from the targets: to look for agents, a command need not load what wires each of them. */
const SIGNS: Readonly<Partial<Record<AgentId, AgentSigns>>> = {
  arawn: {
    programs: ["arawn"],
    folders: ({ host }) => [path.dirname(arawnUserSettings(host)), path.join(host.home, ".config/arawn")],
  },
  astrid: {
    programs: ["astrid"],
    folders: ({ host }) => (isOnlyOurs(userHooks(host)) ? [] : [path.dirname(userHooks(host))]),
    entry: (host) => path.join(userHooks(host), "drwn-pre-tool-call", "HOOK.toml"),
  },
  "claude-code": {
    programs: ["claude"],
    folders: ({ host }) => [path.dirname(claudeSettingsFile(host)), path.join(host.home, ".claude")],
    entry: claudeSettingsFile,
  },
  codex: { programs: ["codex"], folders: ({ host }) => [codexHome(host)], entry: codexHooksFile },
  "copilot-cli": {
    programs: ["copilot"],
    folders: ({ host }) => [copilotHome(host)],
    entry: (host) => path.join(copilotHome(host), "hooks", "drwn.json"),
  },
  cursor: {
    programs: ["cursor", "cursor-agent"],
    folders: ({ host }) => [cursorHome(host)],
    entry: (host) => path.join(cursorHome(host), "hooks.json"),
  },
  "gemini-cli": {
    programs: ["gemini"],
    folders: ({ host }) => [path.dirname(geminiSettingsFile(host))],
    entry: geminiSettingsFile,
  },
  kilo: {
    programs: ["kilo", "kilocode"],
    folders: ({ host }) => [kiloConfigFolder(host), kiloDataFolder(host)],
    entry: (host) => path.join(kiloConfigFolder(host), PLUGIN),
  },
  mastra: {
    programs: [],
    folders: ({ root }) => [isRequired(root) ? root : path.join(root, "node_modules", CORE)],
  },
  opencode: {
    programs: ["opencode"],
    folders: ({ host }) => [opencodeConfigFolder(host), opencodeDataFolder(host)],
    entry: (host) => path.join(opencodeConfigFolder(host), PLUGIN),
  },
  pi: {
    programs: ["pi"],
    folders: ({ host }) => [piHome(host)],
    entry: (host) => path.join(piHome(host), "extensions", "drwn.js"),
  },
  polytoken: {
    programs: ["polytoken"],
    folders: ({ host }) => [path.dirname(globalHooksFile(host))],
    entry: globalHooksFile,
  },
  "qwen-code": {
    programs: ["qwen"],
    folders: ({ host }) => [qwenHome(host)],
    entry: (host) => path.join(qwenHome(host), "settings.json"),
  },
};

/** Whether the folder of Astrid has nothing but hooks of drwn's: then drwn made it. */
function isOnlyOurs(hooks: string): boolean {
  const names = listFolder(path.dirname(hooks));
  return (
    names.length > 0 && [...names, ...listFolder(hooks)].every((name) => name === "hooks" || name.startsWith("drwn-"))
  );
}

const CORE = "@mastra/core";

const PLUGIN = path.join("plugins", "drwn.js");

/** Whether the project's package.json asks for it. */
function isRequired(root: string): boolean {
  try {
    const manifest: unknown = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    if (typeof manifest !== "object" || manifest === null) return false;
    return ["dependencies", "devDependencies", "peerDependencies"].some((field) => {
      const names: unknown = Reflect.get(manifest, field);
      return typeof names === "object" && names !== null && Object.hasOwn(names, CORE);
    });
  } catch {
    // There is none, or it is broken, which others report.
    return false;
  }
}
