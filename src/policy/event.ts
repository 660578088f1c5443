/** The agent products that drwn knows. */
export const AGENT_IDS = [
  "arawn",
  "astrid",
  "claude-code",
  "codex",
  "copilot-cli",
  "cursor",
  "gemini-cli",
  "kilo",
  "mastra",
  "opencode",
  "pi",
  "polytoken",
  "qwen-code",
] as const;

/** The agent product that a tool call comes from. */
export type AgentId = (typeof AGENT_IDS)[number];

/** Before the tool runs, or after it ran. */
export type Phase = "pre-tool" | "post-tool";

/** One tool call at one phase, in the same shape for every agent. */
export interface ToolPolicyEvent {
  runtime: AgentId;
  phase: Phase;
  /**
   * The canonical name of the tool, such as `Bash`, `Write` or `mcp__server__tool`; the agent's own name if it has
   * none.
   */
  toolName: string;
  /**
   * What reads the command of a `Bash`, if it isn't a POSIX shell: `powershell`, `javascript`, `python`, `tmux`. Such a
   * command must not be read as one for a shell.
   */
  shell?: string;
  /** The tool's input as the agent sent it, or as an earlier policy rewrote it. */
  input?: unknown;
  /** What the tool returned; only after the call. */
  output?: unknown;
  /** Set when the tool call failed; only after the call. */
  error?: { name: string; message: string };
  /** The folder in which the call starts. It may be any folder that the agent went to, not only the project's. */
  cwd?: string;
  /** The home folder of the person who runs the agent. */
  home?: string;
  sessionId?: string;
  /** The hook's options, frozen; absent if card.json declares none for it. */
  readonly options?: object;
  /** Every other field that the agent sent, under its own name. */
  metadata?: Record<string, unknown>;
}

/** An event with the options of its hook; `never`: the hook has none. */
export type WithOptions<Event, Options extends object> = [Options] extends [never]
  ? Event
  : Omit<Event, "options"> & { readonly options: Readonly<Options> };

/**
 * The options that card.json declares, by the name of the hook. `drwn card source doctor` writes them into a source, as
 * `.drwn/hook-options.d.ts`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a source adds to it
export interface HookOptions {}
