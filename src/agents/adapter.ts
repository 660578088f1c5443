import type { Phase, Runtime } from "../policy/event.ts";

/** What agents send: a parsed JSON object. */
export type Wire = Readonly<Record<string, unknown>>;

/** One event in the words that policies know, apart from the input, which earlier policies may rewrite. */
export interface DecodedEvent {
  /** The canonical name of the tool where it has one (`Bash`, `Edit`, `mcp__server__tool`), else the agent's own. */
  toolName: string;
  /** Other names by which a matcher may name the tool: the agent's own, and those of tools that do the same. */
  aliases: readonly string[];
  input: unknown;
  /** What the call comes to, said as calls of other tools: policies that match those are asked about them as well. */
  views: readonly EventView[];
  /** Every other field of the event that policies see. */
  rest: Readonly<Record<string, unknown>>;
}

/** A part of a call, as the call of a tool that policies know. */
export interface EventView {
  toolName: string;
  aliases: readonly string[];
  input: unknown;
}

/** A verdict in full sentences, every field present. */
export interface Saying {
  action: "allow" | "ask" | "deny";
  reason: string;
  context: string | null;
  /** JSON text. */
  updatedInput: string | null;
  /** JSON text of what takes the place of the result of a denied call; only for an agent that can carry it. */
  syntheticOutput?: string | null;
}

export interface Reply {
  /** What goes to standard output, "" for nothing. */
  text: string;
  /** What the agent makes of it. */
  effective: "allow" | "ask" | "deny";
}

/** What an agent may be able to carry. */
export const ABILITIES = [
  "deny",
  "ask",
  "rewrite",
  "context",
  "synthetic-output",
  "after-call",
  "after-failure",
] as const;
export type Ability = (typeof ABILITIES)[number];

/** Translates between one agent and the engine. `encode` and `acceptsInput` run after policies did. */
export interface Adapter {
  runtime: Runtime;
  /** As people call the agent. */
  title: string;
  /** What it can carry. What it cannot is lost, and `write` and `doctor` say so. */
  can: Readonly<Record<Ability, boolean>>;
  /** What it can carry only if somebody sees to it: a clause that says what. */
  onlyIf?: Readonly<Partial<Record<Ability, string>>>;
  /** The agent's own names of tools that have a canonical one. */
  canonicalTools: Readonly<Record<string, string>>;
  /** Throws a `BrokenEvent` when it is no event of this phase. */
  decode(wire: Wire, phase: Phase): DecodedEvent;
  encode(saying: Saying): Reply;
  /** The answer to the question whether the hook is alive. */
  encodeCanary(text: string): string;
  /** Whether the agent can take this JSON text as a tool's input. */
  acceptsInput(text: string): boolean;
}
