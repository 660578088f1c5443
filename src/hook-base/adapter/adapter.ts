import type { AgentId, Phase } from "../../policy/event.ts";
import type { LifecycleEvent } from "../../policy/lifecycle-events.ts";

/** What agents send: a parsed JSON object. */
export type Wire = Readonly<Record<string, unknown>>;

/** One event in the words that policies know, apart from the input, which earlier policies may rewrite. */
export interface DecodedEvent {
  /** The tool's canonical name if it has one (`Bash`, `Edit`, `mcp__server__tool`), otherwise the agent's own. */
  toolName: string;
  /** Other names by which a matcher may name the tool: the agent's own, and those of tools that do the same. */
  aliases: readonly string[];
  /**
   * Canonical names that the tool may have. A policy that can block is asked under each that it matches, any other
   * under the first.
   */
  otherNames: readonly string[];
  input: unknown;
  /** What the call amounts to, as calls of other tools. Policies that match those are asked about them, too. */
  views: readonly EventView[];
  /** Each view is only a part of the call: rewriting one would not rewrite the call. */
  isDivided: boolean;
  /** The agent carries nothing but a deny of this call: it can't wait for a person, and takes no other input. */
  isOnlyDeniable: boolean;
  /** The agent's id for the call, the same before and after it; "": the agent sends none. */
  callId: string;
  /** Every other field of the event that policies see. */
  rest: Readonly<Record<string, unknown>>;
}

/** A part of a call, as the call of a tool that policies know. */
export interface EventView {
  toolName: string;
  aliases: readonly string[];
  input: unknown;
  /** What reads the command of a `Bash`; absent: a POSIX shell. */
  shell?: string;
}

/** A verdict in full sentences, every field present. */
export interface PresentedVerdict {
  action: "allow" | "ask" | "deny";
  reason: string;
  context: string | null;
  /** JSON text. */
  updatedInput: string | null;
  /** JSON text that replaces the result of a denied call; only for an agent that can carry it. */
  syntheticOutput?: string | null;
  /** What the agent shows to a person; absent or null: nothing. */
  notice?: string | null;
}

export interface Reply {
  /** What is written to standard output; "": nothing. */
  text: string;
  /** What the agent does because of it. */
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

/** The abilities of an agent that can carry only these. */
export function ableTo(...abilities: readonly Ability[]): Readonly<Record<Ability, boolean>> {
  const can = ABILITIES.map((ability) => [ability, abilities.includes(ability)]);
  return Object.fromEntries(can) as Record<Ability, boolean>;
}

/** One lifecycle event, in the words that lifecycle hooks know. */
export interface DecodedLifecycleEvent {
  /** What matchers are compared with; "" if the event doesn't say, or has nothing to match. */
  subject: string;
  /** Other names by which a matcher may name it. */
  aliases: readonly string[];
  input: Readonly<Record<string, unknown>>;
  /** A hook has kept this turn going already; null: the agent does not say. */
  isContinued: boolean | null;
  rest: Readonly<Record<string, unknown>>;
}

/** What an agent is told about a lifecycle event. */
export interface PresentedLifecycleVerdict extends PresentedVerdict {
  powers: LifecyclePowers;
  notice: string | null;
  /** The event is held because a hook could not do its work, not because a hook decided so. */
  isFailure: boolean;
}

/** What hooks can do at one event of one agent: never more than the event's own powers. */
export interface LifecyclePowers {
  /** The agent's own name for the event. */
  name: string;
  holds: boolean;
  injects: boolean;
  /** The agent shows text to the person instead of telling the model. */
  shows: boolean;
  transforms: boolean;
  /** Whether a person can be asked. */
  asks: boolean;
}

/** The lifecycle events that an agent reports. */
export interface LifecycleAdapter {
  /** Every event that it reports, with its own name for it. */
  names: readonly (readonly [LifecycleEvent, string])[];
  /**
   * For an agent that doesn't say at the end of a turn whether it was kept going: the event at which a person begins a
   * new turn. If hooks can keep a turn going, the hook gets this event and starts counting again.
   */
  newTurn?: LifecycleEvent;
  /** Undefined: the agent never reports this event. */
  powersAt(event: LifecycleEvent): LifecyclePowers | undefined;
  /**
   * Throws a `BrokenEvent` if it isn't such an event. Null: the agent reports another one by the same event, and
   * asks the hook about that one separately.
   */
  decode(wire: Wire, event: LifecycleEvent): DecodedLifecycleEvent | null;
  encode(saying: PresentedLifecycleVerdict): Reply;
  /** Turns the input that hooks get back into the event that the agent sends. */
  toWire(event: LifecycleEvent, input: Readonly<Record<string, unknown>>): Wire;
}

/** Translates between one agent and the engine. `encode` and `takeInput` run after policies have run. */
export interface Adapter {
  runtime: AgentId;
  /** As people call the agent. */
  title: string;
  /** What it can carry. Everything else is lost, and `write` and `doctor` say so. */
  can: Readonly<Record<Ability, boolean>>;
  /** What it can carry only under a condition: a clause that says which. */
  onlyIf?: Readonly<Partial<Record<Ability, string>>>;
  /** Canonical names of tools, by the agent's own names. */
  canonicalTools: Readonly<Record<string, string>>;
  /** Throws a `BrokenEvent` for an event of another phase. */
  decode(wire: Wire, phase: Phase): DecodedEvent;
  encode(saying: PresentedVerdict): Reply;
  /** The answer to the question whether the hook is alive. */
  encodeCanary(text: string): string;
  /** Turns the JSON text of a tool's input into the text that the agent gets; null: the agent cannot take it. */
  takeInput(text: string): string | null;
}

/** Whom the hook process talks to: an agent, or `drwn hook run --event`. */
export type HookAdapter = Omit<Adapter, "runtime"> & {
  runtime: AgentId | "runner";
  /** Whatever the consent says, an ask is a deny. */
  deniesAsks?: boolean;
};
