/** The part of a tool call that is read here, as Mastra shows it to a hook. */
export interface ToolCall {
  toolName: string;
  input: unknown;
  context: unknown;
  metadata?: Record<string, unknown>;
}

/** A tool call that was made; `error` if the tool threw. */
export interface FinishedToolCall extends ToolCall {
  output?: unknown;
  error?: unknown;
}

/** What the model gets instead of a call. */
export interface Refusal {
  proceed: false;
  output: unknown;
}

/** The app's own hooks. Mastra's own type of hooks fits. */
export interface AppHooks {
  /** May give a `Refusal`, or a promise of one. */
  beforeToolCall?: (call: ToolCall) => unknown;
  afterToolCall?: (call: FinishedToolCall) => unknown;
}

/** A call about which Mastra asks whether a person has to approve it. */
export interface PendingToolCall {
  toolName: string;
  args: unknown;
  requestContext?: unknown;
}

export interface GuardHooks {
  /** Asks the policies. Only what they let through runs, with the input that they leave. */
  beforeToolCall: (call: ToolCall) => Promise<Refusal | undefined>;
  /** Tells the policies. If that fails, the result stays the same. */
  afterToolCall: (call: FinishedToolCall) => Promise<undefined>;
}

/** The guards for the agents of one project. */
export interface Guards {
  /** For `new Agent({ hooks })`. */
  hooks: GuardHooks;
  /** For `defaultOptions` of an agent: true if a policy asks for a person. */
  requireToolApproval: (call: PendingToolCall) => Promise<boolean>;
  /** Combines your own hooks with the policies, which judge what yours leave. */
  withHooks: (own: AppHooks) => GuardHooks;
  /** Ends the process beside the app, as the app's own end does. A later call starts another. */
  end: () => void;
}
