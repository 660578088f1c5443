import type {
  DecodedEvent,
  DecodedLifecycleEvent,
  HookAdapter,
  LifecycleAdapter,
  LifecyclePowers,
  PresentedLifecycleVerdict,
  Reply,
  Wire,
} from "../hook-base/adapter/adapter.ts";
import { decodeInput } from "../hook-base/adapter/lifecycle-format.ts";
import { quoteJson } from "../hook-base/primordials.ts";
import { BrokenEvent } from "../hook-base/read-input.ts";
import { EVENTS, isLifecycleEvent, type LifecycleEvent, powersOf } from "../policy/lifecycle-events.ts";

/**
 * The adapter of `drwn hook run --event`. It takes every event of the taxonomy as `{ input, cwd, sessionId, metadata
 * }`, in the words of lifecycle hooks, and answers in those of the verdict algebra.
 */
export const runner: HookAdapter = {
  runtime: "runner",
  title: "drwn hook run",
  can: {
    deny: true,
    ask: true,
    rewrite: true,
    context: true,
    "synthetic-output": true,
    "after-call": true,
    "after-failure": true,
  },
  canonicalTools: {},
  decode: refuse,
  encode: () => ({ text: "", effective: "allow" }),
  encodeCanary: () => "",
  takeInput: (text) => text,
};

export const runnerLifecycle: LifecycleAdapter = {
  names: [],
  powersAt,
  decode,
  encode,
  toWire: (_, input) => ({ input }),
};

/** Only agents send tool calls. */
function refuse(): DecodedEvent {
  throw new BrokenEvent("isn't a lifecycle event");
}

function powersAt(event: LifecycleEvent): LifecyclePowers | undefined {
  if (!isLifecycleEvent(event) || event === "tool.before") return undefined;
  const { hold, injects, transforms } = powersOf(event);
  return { name: event, holds: hold !== null, injects, shows: false, transforms, asks: hold !== null };
}

function decode(wire: Wire, event: LifecycleEvent): DecodedLifecycleEvent {
  const { input, cwd, sessionId, metadata } = wire;
  if (typeof input !== "object" || input === null || Array.isArray(input)) throw new BrokenEvent("has no input");
  return {
    ...decodeInput({ ...input }, { event, nameOf: (field) => field, otherName: event.slice("other.".length) }),
    isContinued: Reflect.get(input, "isContinued") === true,
    rest: {
      ...(typeof cwd === "string" ? { cwd } : {}),
      ...(typeof sessionId === "string" ? { sessionId } : {}),
      ...(metadata === undefined ? {} : { metadata }),
    },
  };
}

const LEVELS = { allow: "proceed", ask: "ask", deny: "hold" } as const;

function encode({ powers: { name }, action, reason, context, updatedInput, notice }: PresentedLifecycleVerdict): Reply {
  const field = (key: string, json: string | null): string => (json === null ? "" : `,"${key}":${json}`);
  const code = action === "deny" ? (EVENTS[name as keyof typeof EVENTS].hold ?? "deny") : null;
  const text = [
    `{"event":${quoteJson(name)},"level":"${LEVELS[action]}"`,
    field("code", code === null ? null : `"${code}"`),
    field("reason", action === "allow" ? null : quoteJson(reason)),
    field("context", context === null ? null : quoteJson(context)),
    field("updatedInput", updatedInput),
    field("notice", notice === null ? null : quoteJson(notice)),
  ];
  return { text: `${text[0]}${text[1]}${text[2]}${text[3]}${text[4]}${text[5]}}\n`, effective: action };
}
