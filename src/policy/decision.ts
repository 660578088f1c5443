/** Let the call proceed, optionally with a new input, or with text for the model. */
export interface Allow {
  action: "allow";
  additionalContext?: string;
  updatedInput?: unknown;
}

/** Block the call, and tell the agent the `reason`. */
export interface Deny {
  action: "deny";
  reason: string;
  /** A result for the agent instead of the real one, if the agent can carry it. */
  syntheticOutput?: unknown;
}

/** Let a person decide. An agent that cannot ask proceeds, unless the user's consent says otherwise. */
export interface Ask {
  action: "ask";
  reason: string;
}

/** Let the call proceed, and note in the journal that the policy saw it. */
export interface LogOnly {
  action: "log-only";
}

/** What `beforeToolCall` may return; `undefined` means no opinion. */
export type Decision = Allow | Deny | Ask | LogOnly;
