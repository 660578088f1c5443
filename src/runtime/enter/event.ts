import { userInfo } from "node:os";
import type { DecodedEvent, EventView, HookAdapter, Wire } from "../../hot/adapter/adapter.ts";
import { decodeBytes, nodeProcess } from "../../hot/primordials.ts";
import { BrokenEvent, readInput } from "../../hot/read-input.ts";
import { isRecord } from "../../hot/shape.ts";
import type { Phase } from "../../policy/event.ts";
import { hasFixedHashSeed, readLimitedEvent } from "./hand-over.ts";
import { inlineCommandsIn } from "./inline-commands.ts";

const LARGEST_EVENT = 16 * 1024 * 1024;

/** An event as the text around its input, so that each policy gets a copy with the current input. */
export interface EventText {
  toolName: string;
  /** Other names by which a matcher may name the tool. */
  aliases: readonly string[];
  /** JSON text of the input that the agent sent. */
  input: string;
  /**
   * The agent's id for the call, the same before and after it, and the session of the call; "": the agent does not say.
   */
  callId: string;
  session: string;
  before: string;
  after: string;
  /** The same call under the canonical names that its tool may have. */
  names: readonly EventText[];
  /** What the call amounts to, as calls of other tools or with another input. */
  views: readonly EventText[];
  /** Each view is only a part of the call, so policies cannot rewrite the call. */
  isDivided: boolean;
  /** "": the agent did not say. */
  cwd: string;
  /**
   * For the end or the beginning of a turn: its session, and whether a hook has kept it going already. Null for all
   * other events.
   */
  turn: { isContinued: boolean | null; session: string } | null;
}

/** Reads what the agent wrote to standard input. Throws a `BrokenEvent`. */
export function readWire(): Wire {
  if (hasFixedHashSeed()) return parse(readLimitedEvent());
  return parse(readInput(LARGEST_EVENT));
}

function parse(bytes: Uint8Array): Wire {
  if (bytes.length === 0) throw new BrokenEvent("is empty");
  let wire: unknown;
  try {
    wire = JSON.parse(decodeBytes(bytes));
  } catch {
    throw new BrokenEvent("is not JSON");
  }
  if (!isRecord(wire)) throw new BrokenEvent("isn't a JSON object");
  return wire;
}

/** Throws a `BrokenEvent`. */
export function decodeCall(adapter: HookAdapter, phase: Phase, wire: Wire, userHome = homeOfUser()): EventText {
  return refuseDepth(() => toText(adapter, phase, withHome(adapter.decode(wire, phase), userHome)));
}

/** `JSON.parse` does not recurse; `JSON.stringify` does, and fails on deep nesting. */
export function refuseDepth<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof BrokenEvent ? error : new BrokenEvent("is nested too deeply");
  }
}

/** The JSON text of the event with this input, for a policy with these options. */
export function withInput({ before, after }: EventText, input: string, options: string | null = null): string {
  return options === null ? `${before}${input}${after}` : `${before}${input},"options":${options}${after}`;
}

/** The home of the person whose agent this is: what programs of the call take for it. */
function homeOfUser(): string {
  const { HOME } = nodeProcess.env;
  if (HOME !== undefined && HOME !== "") return HOME;
  try {
    return userInfo().homedir;
  } catch {
    return "";
  }
}

function withHome(event: DecodedEvent, home: string): DecodedEvent {
  return home.startsWith("/") ? { ...event, rest: { ...event.rest, home } } : event;
}

function toText(
  { runtime }: HookAdapter,
  phase: Phase,
  { rest, views, otherNames, isDivided, callId, ...main }: DecodedEvent,
): EventText {
  const after = `,${JSON.stringify(rest).slice(1)}`;
  const [cwd, session] = [textOf(rest["cwd"]), textOf(rest["sessionId"])];
  const toPart = ({ toolName, aliases, input, shell }: EventView): EventText => {
    const before = `${JSON.stringify({ runtime, phase, toolName, shell }).slice(0, -1)},"input":`;
    return {
      toolName,
      aliases,
      input: JSON.stringify(input),
      callId,
      session,
      before,
      after,
      names: [],
      views: [],
      isDivided: false,
      cwd,
      turn: null,
    };
  };
  const whole = toPart(main);
  const toNamed = (toolName: string): EventText => toPart({ toolName, aliases: [], input: main.input });
  const inline = phase === "pre-tool" ? inlineCommandsIn(main.input, whole.input) : [];
  const written = inline.map((command): EventView => ({ toolName: "Bash", aliases: [], input: { command } }));
  return {
    ...whole,
    names: otherNames.map(toNamed),
    views: [...views, ...written].map(toPart),
    isDivided: isDivided || written.length > 0,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
