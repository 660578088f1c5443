import type { HookableEvent } from "../../policy/hook-inputs.ts";
import type { OwnTools } from "../../policy/own-tools.ts";

/** How a handler is told of an event, and how its answer reads. */
export const PROTOCOLS = ["drwn", "arawn", "arawn-settings", "claude"] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

/** What a hook is asked about, whatever answers for it. */
export interface HandlerTerms {
  event: "tool.before" | HookableEvent;
  policyKind: "enforcement" | "observer";
  matcher?: string;
  /** Regular expression on the name that the system of the protocol has for the tool, where it has names of its own. */
  ownName?: string;
  /** Regular expression on the input, as compact JSON with sorted keys: without a match the handler is not asked. */
  inputPattern?: string;
  timeoutMs: number;
  speaks: ProtocolName;
}

/** The system whose names of tools a handler knows; null: the agent's. */
export function toolsOf(speaks: ProtocolName): OwnTools | null {
  return speaks === "arawn" || speaks === "arawn-settings" ? "arawn" : null;
}

/** What a handler answered, before it is understood. */
export interface Said {
  /** 0 where it ended well. */
  code: number;
  output: string;
  errors: string;
}

export interface HandlerQuestion {
  /** What it reads: JSON. */
  text: string;
  /** For handlers that have an environment. */
  variables: Readonly<Record<string, string>>;
  /** The folder that the agent works in. */
  cwd: string | undefined;
}
