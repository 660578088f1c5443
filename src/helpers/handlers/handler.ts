import type { HookableEvent } from "../../policy/hook-inputs.ts";
import type { NativeTools } from "../../policy/native-tools.ts";

/** How a handler gets an event, and what its answer looks like. */
export const PROTOCOLS = ["drwn", "arawn", "arawn-settings", "claude"] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

/** What a hook is asked about, whatever kind of handler answers for it. */
export interface HandlerTerms {
  event: "tool.before" | HookableEvent;
  policyKind: "enforcement" | "observer";
  matcher?: string;
  /** Regular expression for the tool's name in the protocol's own system, if that system has its own names. */
  ownName?: string;
  /** Regular expression for the input, as compact JSON with sorted keys. The handler is only asked if it matches. */
  inputPattern?: string;
  timeoutMs: number;
  speaks: ProtocolName;
}

/** The system whose names for tools a handler knows; null: it knows the agent's. */
export function toolsOf(speaks: ProtocolName): NativeTools | null {
  return speaks === "arawn" || speaks === "arawn-settings" ? "arawn" : null;
}

/** A handler's raw answer. */
export interface HandlerOutput {
  /** 0 if it ended well. */
  code: number;
  output: string;
  errors: string;
}

export interface HandlerQuestion {
  /** The JSON that it reads. */
  text: string;
  /** For handlers that have an environment. */
  variables: Readonly<Record<string, string>>;
  /** The folder in which the agent works. */
  cwd: string | undefined;
}
