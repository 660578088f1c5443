import fs from "node:fs";
import path from "node:path";
import { listFolder } from "../kernel/atomic.ts";
import type { AgentId } from "../policy/event.ts";
import { arawnUserSettings } from "../systems/arawn/agent/paths.ts";
import { userHooks } from "../systems/astrid/hook/paths.ts";
import { globalHooksFile } from "../systems/polytoken/read/paths.ts";
import type { AgentContext } from "../wiring/target.ts";
import { claudeSettingsFile } from "./claude-code/paths.ts";
import { codexHome } from "./codex/paths.ts";
import { copilotHome } from "./copilot-cli/paths.ts";
import { cursorHome } from "./cursor/paths.ts";
import { geminiSettingsFile } from "./gemini-cli/paths.ts";
import { opencodeConfigFolder, opencodeDataFolder } from "./opencode/paths.ts";

/** What shows that an agent is on this machine, or for an agent of projects, in this one. Any of them is enough. */
interface AgentSigns {
  /** Its program, by its names on PATH. */
  programs: readonly string[];
  /** Folders that the agent makes: with its settings, or with its transcripts. */
  folders(place: AgentContext): readonly string[];
}

/** Apart from the targets: to look for ten agents, a command need not load what wires each of them. */
export const SIGNS: Readonly<Partial<Record<AgentId, AgentSigns>>> = {
  arawn: {
    programs: ["arawn"],
    folders: ({ host }) => [path.dirname(arawnUserSettings(host)), path.join(host.home, ".config/arawn")],
  },
  astrid: {
    programs: ["astrid"],
    folders: ({ host }) => (isOnlyOurs(userHooks(host)) ? [] : [path.dirname(userHooks(host))]),
  },
  "claude-code": {
    programs: ["claude"],
    folders: ({ host }) => [path.dirname(claudeSettingsFile(host)), path.join(host.home, ".claude")],
  },
  codex: { programs: ["codex"], folders: ({ host }) => [codexHome(host)] },
  "copilot-cli": { programs: ["copilot"], folders: ({ host }) => [copilotHome(host)] },
  cursor: { programs: ["cursor", "cursor-agent"], folders: ({ host }) => [cursorHome(host)] },
  "gemini-cli": { programs: ["gemini"], folders: ({ host }) => [path.dirname(geminiSettingsFile(host))] },
  mastra: {
    programs: [],
    folders: ({ root }) => [isRequired(root) ? root : path.join(root, "node_modules", CORE)],
  },
  opencode: {
    programs: ["opencode"],
    folders: ({ host }) => [opencodeConfigFolder(host), opencodeDataFolder(host)],
  },
  polytoken: { programs: ["polytoken"], folders: ({ host }) => [path.dirname(globalHooksFile(host))] },
};

/** Whether the folder of Astrid has nothing but hooks of drwn's: then drwn made it. */
function isOnlyOurs(hooks: string): boolean {
  const names = listFolder(path.dirname(hooks));
  return (
    names.length > 0 && [...names, ...listFolder(hooks)].every((name) => name === "hooks" || name.startsWith("drwn-"))
  );
}

const CORE = "@mastra/core";

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
