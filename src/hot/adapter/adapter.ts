import type { Phase, Runtime } from "../../policy/event.ts";
import type { LifecycleEvent } from "../../policy/taxonomy.ts";

/** What agents send: a parsed JSON object. */
export type Wire = Readonly<Record<string, unknown>>;

/** One event in the words that policies know, apart from the input, which earlier policies may rewrite. */
export interface DecodedEvent {
  /** The canonical name of the tool where it has one (`Bash`, `Edit`, `mcp__server__tool`), else the agent's own. */
  toolName: string;
  /** Other names by which a matcher may name the tool: the agent's own, and those of tools that do the same. */
  aliases: readonly string[];
  /** Canonical names that the tool may have: a policy is asked about the call under each that it matches, whoever only listens under the first. */
  otherNames: readonly string[];
  input: unknown;
  /** What the call comes to, said as calls of other tools: policies that match those are asked about them as well. */
  views: readonly EventView[];
  /** Each view is only a part of the call: rewriting one would not rewrite the call. */
  isDivided: boolean;
  /** By which the agent names the same call before it and after; "": it sends nothing of the kind. */
  callId: string;
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
  /** What a person is told at the agent's own place for it; absent or null: nothing. */
  notice?: string | null;
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

/** An agent that can carry these, and none of the others. */
export function ableTo(...abilities: readonly Ability[]): Readonly<Record<Ability, boolean>> {
  const can = ABILITIES.map((ability) => [ability, abilities.includes(ability)]);
  return Object.fromEntries(can) as Record<Ability, boolean>;
}

/** One moment in the life of a session, in the words that lifecycle hooks know. */
export interface DecodedMoment {
  /** What matchers are compared with; "" if the event doesn't say, or has nothing to match. */
  subject: string;
  /** Other names by which a matcher may name it. */
  aliases: readonly string[];
  input: Readonly<Record<string, unknown>>;
  /** A hook has kept this turn going already; null: the agent does not say. */
  isContinued: boolean | null;
  rest: Readonly<Record<string, unknown>>;
}

/** What an agent is told of a moment. */
export interface MomentSaying extends Saying {
  at: MomentPowers;
  notice: string | null;
  /** It is held because a hook could not do its work, and not because one decided so. */
  isFailure: boolean;
}

/** What hooks can do at one event of one agent: never more than the event's own powers. */
export interface MomentPowers {
  /** The agent's own name of the event. */
  name: string;
  holds: boolean;
  injects: boolean;
  /** The agent shows text to the person instead of telling the model. */
  shows: boolean;
  transforms: boolean;
  /** Whether a person can be asked. */
  asks: boolean;
}

/** The moments of a session that an agent reports. */
export interface Moments {
  /** Every event that it reports, with its own name for it. */
  names: readonly (readonly [LifecycleEvent, string])[];
  /**
   * Of an agent that doesn't say at the end of a turn whether it was kept going: the moment at which a person begins another one.
   * The hook is told of it wherever hooks can keep a turn going, and counts anew.
   */
  newTurn?: LifecycleEvent;
  /** Undefined: it never reports this one. */
  powersAt(event: LifecycleEvent): MomentPowers | undefined;
  /**
   * Throws a `BrokenEvent` when it is no such moment. Null: the agent tells of another one by the same event, of which the hook is
   * asked separately.
   */
  decode(wire: Wire, event: LifecycleEvent): DecodedMoment | null;
  encode(saying: MomentSaying): Reply;
  /** The event as the agent sends it, from what hooks are given of it. */
  toWire(event: LifecycleEvent, input: Readonly<Record<string, unknown>>): Wire;
}

/** Translates between one agent and the engine. `encode` and `takeInput` run after policies did. */
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
  /** Throws a `BrokenEvent` for an event of another phase. */
  decode(wire: Wire, phase: Phase): DecodedEvent;
  encode(saying: Saying): Reply;
  /** The answer to the question whether the hook is alive. */
  encodeCanary(text: string): string;
  /** The JSON text of a tool's input, as the agent gets it; null: it cannot take that. */
  takeInput(text: string): string | null;
}

/** What the hook process speaks with: an agent, or `drwn hook run --event`. */
export type HookAdapter = Omit<Adapter, "runtime"> & { runtime: Runtime | "runner" };
