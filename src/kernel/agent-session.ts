import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Environment } from "./host.ts";

/** An agent that runs this command, and how drwn noticed it. */
export interface AgentSession {
  agent: string;
  /** As the end of "since …". */
  evidence: string;
}

/** The variables that each agent sets for the commands that it runs. Any value counts except those that mean "no". */
const MARKERS: Readonly<Record<string, string>> = {
  CLAUDECODE: "Claude Code",
  CLAUDE_CODE_CHILD_SESSION: "Claude Code",
  CODEX_SANDBOX: "Codex",
  CODEX_SANDBOX_NETWORK_DISABLED: "Codex",
  CODEX_THREAD_ID: "Codex",
  CODEX_CI: "Codex",
  GEMINI_CLI: "Gemini CLI",
  KILO: "Kilo",
  OPENCODE: "OpenCode",
  PI_CODING_AGENT: "Pi",
  QWEN_CODE: "Qwen Code",
  COPILOT_CLI: "Copilot CLI",
  CURSOR_AGENT: "Cursor",
  AI_AGENT: "an agent",
};
const NO = new Set([undefined, "", "0", "false"]);

/** The names of these variables, for code that starts commands on a person's behalf. */
export const AGENT_MARKERS: readonly string[] = Object.keys(MARKERS);

/** The agent whose tool call this is, by its environment variables; undefined: none is set. */
export function findMarkedSession(env: Environment): AgentSession | undefined {
  for (const [marker, agent] of Object.entries(MARKERS)) {
    if (!NO.has(env[marker])) return { agent, evidence: `${marker} is set` };
  }
  return undefined;
}

const PROGRAMS: Readonly<Record<string, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  kilo: "Kilo",
  opencode: "OpenCode",
  pi: "Pi",
  qwen: "Qwen Code",
  copilot: "Copilot CLI",
  "cursor-agent": "Cursor",
};
/** More than a person's shells nest. */
const MOST_ANCESTORS = 64;

/**
 * The agent below which this process runs, by its ancestors' program names; undefined: none was found, or they cannot
 * be listed.
 */
export function findAncestorSession(pid: number): AgentSession | undefined {
  let current = pid;
  for (let step = 0; step < MOST_ANCESTORS && current > 1; step++) {
    const process = describeProcess(current);
    if (process === undefined) return undefined;
    for (const word of process.words) {
      const name = path.basename(word).replace(/\.(?:[cm]?js|exe)$/u, "");
      const agent = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
      if (agent !== undefined) return { agent, evidence: `process ${current} is \`${name}\`` };
    }
    current = process.parent;
  }
  return undefined;
}

/** The program of a process, the name it was started by, and, for an interpreter, its script. */
function describeProcess(pid: number): { parent: number; words: string[] } | undefined {
  try {
    if (fs.existsSync("/proc/self/stat")) return describeFromProc(pid);
    const [parent = "", ...words] = execFileSync("ps", ["-o", "ppid=,command=", "-p", String(pid)], {
      encoding: "utf8",
    })
      .trim()
      .split(/\s+/u);
    return { parent: Number(parent), words: words.slice(0, 2) };
  } catch {
    return undefined;
  }
}

function describeFromProc(pid: number): { parent: number; words: string[] } {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may contain any character, so fields are counted from its end.
  const program = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
  const [, parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const started = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return { parent: Number(parent), words: [program, ...started.slice(0, 2)] };
}
