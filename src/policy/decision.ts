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
  /** A result for the agent instead of the real one, if the agent can carry it. */
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

/** What `beforeToolCall` may return; `undefined` means no opinion. */
export type Decision = Allow | Deny | Ask | LogOnly;
