// What a policy may import, for editors and `tsc`. drwn writes this file and resolves the modules itself.

declare module "darwinian-minds/hook-policy" {
  /**
   * How failures count. `enforcement`: a policy that throws, times out or answers nonsense denies the call.
   * `observer`: its failures are noted and the call proceeds; of its decisions only a deny is applied.
   */
  export type PolicyKind = "enforcement" | "observer";

  /** One hook policy: what the default export of `hooks/<name>/policy.ts` must be. */
  export interface ToolPolicy {
    policyKind: PolicyKind;
    /** A glob on the whole tool name, case-sensitive: `Bash`, `mcp__*`, `{Write,Edit}`, `Write|Edit`. Absent: every tool. */
    matcher?: string;
    /** Milliseconds for each callback, 1 to 30000; 5000 when absent. It holds for loops that never yield, too. */
    timeoutMs?: number;
    beforeToolCall?(event: ToolPolicyEvent): Decision | undefined | void | Promise<Decision | undefined | void>;
    afterToolCall?(event: ToolPolicyEvent): void | Promise<void>;
  }

  /** Gives a policy its types. It returns what it was given; the checks are made when the card is packed. */
  export function defineToolPolicy(policy: ToolPolicy): ToolPolicy;

  /** The agent product a tool call comes from. */
  export type Runtime = "claude-code" | "codex" | "copilot-cli" | "cursor" | "gemini-cli" | "mastra" | "opencode";

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
    /** The folder that the agent is working in. */
    cwd?: string;
    sessionId?: string;
    /** Every other field that the agent sent, under its own name. */
    metadata?: Record<string, unknown>;
  }

  /** What the common tools are called with, by their canonical names. */
  export interface ToolInputs {
    Bash: { command: string };
    Edit: { file_path: string; old_string: string; new_string: string };
    Glob: { pattern: string };
    Grep: { pattern: string };
    Read: { file_path: string };
    WebFetch: { url: string };
    WebSearch: { query: string };
    Write: { file_path: string; content: string };
  }

  export type CommonTool = keyof ToolInputs;

  /**
   * What a common tool is called with, whatever the agent calls its fields: `inputOf(event, "Bash")?.command`. undefined where
   * the event is a call of another tool. Throws a `TypeError` where the fields are missing or are no text: an enforcement policy
   * then blocks the call, which it could not judge.
   */
  export function inputOf<T extends CommonTool>(event: ToolPolicyEvent, tool: T): ToolInputs[T] | undefined;

  /** Proceed; optionally with a replaced input, or with text for the model beside the call. */
  export interface Allow {
    action: "allow";
    additionalContext?: string;
    updatedInput?: unknown;
  }

  /** Block the call. `reason` is what the agent is told. */
  export interface Deny {
    action: "deny";
    reason: string;
    /** A result to hand to the agent in place of the real one, where the agent can carry it. */
    syntheticOutput?: unknown;
  }

  /** Pause and let a person decide. An agent that cannot ask proceeds. */
  export interface Ask {
    action: "ask";
    reason: string;
  }

  /** Proceed, and note that the call was seen. */
  export interface LogOnly {
    action: "log-only";
  }

  /** What `beforeToolCall` may return; `undefined` is no opinion. */
  export type Decision = Allow | Deny | Ask | LogOnly;
}

declare module "darwinian/hook-policy" {
  export * from "darwinian-minds/hook-policy";
}

declare module "drwn/hook-policy" {
  export * from "darwinian-minds/hook-policy";
}
