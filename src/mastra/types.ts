/** A tool call as Mastra shows it to a hook, as far as it is read here. */
export interface ToolCall {
  toolName: string;
  input: unknown;
  context: unknown;
  metadata?: Record<string, unknown>;
}

/** A tool call that has been made; `error` where the tool threw. */
export interface FinishedToolCall extends ToolCall {
  output?: unknown;
  error?: unknown;
}

/** What the model gets instead of a call. */
export interface Refusal {
  proceed: false;
  output: unknown;
}

/** Hooks of an app itself; those of Mastra's own type are such. */
export interface OwnHooks {
  /** May give a `Refusal`, or a promise of one. */
  beforeToolCall?: (call: ToolCall) => unknown;
  afterToolCall?: (call: FinishedToolCall) => unknown;
}

/** A call that is about to be made, as Mastra asks whether a person has to approve it. */
export interface PendingToolCall {
  toolName: string;
  args: unknown;
  requestContext?: unknown;
}

export interface GuardHooks {
  /** Asks the policies. Only what they let through is run, with the input that they leave. */
  beforeToolCall: (call: ToolCall) => Promise<Refusal | undefined>;
  /** Tells the policies. Nothing that goes wrong with it reaches the result. */
  afterToolCall: (call: FinishedToolCall) => Promise<undefined>;
}

/** What guards the agents of one project. */
export interface Guards {
  /** For `new Agent({ hooks })`. */
  hooks: GuardHooks;
  /** For `defaultOptions` of an agent: true where a policy asks for a person. */
  requireToolApproval: (call: PendingToolCall) => Promise<boolean>;
  /** Hooks of your own together with the policies, which judge what yours leave. */
  withHooks: (own: OwnHooks) => GuardHooks;
  /** Ends the process beside the app, which the app's own end does as well. A call that comes later starts another. */
  end: () => void;
}
