/** The agent products that drwn knows. */
export const RUNTIMES = [
  "arawn",
  "astrid",
  "claude-code",
  "codex",
  "copilot-cli",
  "cursor",
  "gemini-cli",
  "mastra",
  "opencode",
  "polytoken",
] as const;

/** The agent product a tool call comes from. */
export type Runtime = (typeof RUNTIMES)[number];

/** Before the tool runs, or after it did. */
export type Phase = "pre-tool" | "post-tool";

/** One tool call at one phase, in the same shape for every agent. */
export interface ToolPolicyEvent {
  runtime: Runtime;
  phase: Phase;
  /** The agent's own name of the tool: `Bash`, `Write`, `mcp__server__tool`. */
  toolName: string;
  /** What the tool is called with, as the agent sent it; an earlier policy may have rewritten it. */
  input?: unknown;
  /** What the tool returned; only after the call. */
  output?: unknown;
  /** Set when the tool call failed; only after the call. */
  error?: { name: string; message: string };
  /** The folder that the call starts in, wherever the agent went; not always the project's. */
  cwd?: string;
  sessionId?: string;
  /** What the hook's options are, frozen; absent where card.json declares none for it. */
  readonly options?: object;
  /** Every other field that the agent sent, under its own name. */
  metadata?: Record<string, unknown>;
}

/** An event with the options of its hook; `never`: it has none. */
export type WithOptions<Event, Options extends object> = [Options] extends [never]
  ? Event
  : Omit<Event, "options"> & { readonly options: Readonly<Options> };

/**
 * By the name of a hook, what card.json declares of its options. `drwn card source doctor` writes it into a source, as
 * `.drwn/hook-options.d.ts`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a source adds to it
export interface HookOptions {}
