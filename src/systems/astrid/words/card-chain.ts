import { randomUUID } from "node:crypto";
import { ASTRID_ENVELOPE } from "../../../policy/astrid-fields.ts";
import type { AstridHook } from "./astrid-hook.ts";
import { type ChainResult, type Link, runLinks } from "./chain.ts";
import type { HandlerResult } from "./handler-result.ts";
import { DEFAULTS } from "./hook.ts";
import { compileAstridMatcher } from "./matcher.ts";
import type { HookResult } from "./result.ts";

/** A policy may take 30 seconds, and its handlers are stopped before the policy is. */
export const MOST_SECONDS = 29;

type Fields = Readonly<Record<string, unknown>>;

/** An event about which a card's hooks are asked. */
export interface ChainEvent {
  runtime: string;
  /** What Astrid says about it, once for each name that it has for the tool, the usual one first. */
  data: readonly Fields[];
  cwd?: string | undefined;
  sessionId?: string | undefined;
  metadata?: Fields | undefined;
}

/** Asks the hooks of one event in order. They share one deadline. */
export function chainOf(hooks: readonly AstridHook[]): (event: ChainEvent) => Promise<ChainResult> {
  const ready = hooks.map((hook) => ({ hook, matches: compileAstridMatcher(hook.matcher ?? null) }));
  return (event) => {
    const begun = performance.now();
    const told = { invocationId: randomUUID(), timestamp: new Date().toISOString() };
    return runLinks(
      ready.map(({ hook, matches }): Link => {
        const { name, failAction = DEFAULTS.failAction } = hook;
        const data = event.data.find((one) => matches(one));
        const ask = async (previous: readonly HookResult[]) =>
          data === undefined ? undefined : await askHook(hook, { event, data, previous, begun, ...told });
        return { title: name, failAction, ask };
      }),
    );
  };
}

interface ChainCall {
  event: ChainEvent;
  data: Fields;
  previous: readonly HookResult[];
  begun: number;
  invocationId: string;
  timestamp: string;
}

function askHook(hook: AstridHook, { event, data, previous, begun, ...told }: ChainCall): Promise<HandlerResult> {
  const { sessionId = null, cwd = ".", runtime, metadata = {} } = event;
  const user = runtime === "astrid" ? metadata["user_id"] : undefined;
  const userId = typeof user === "string" ? user : null;
  const left = MOST_SECONDS - (performance.now() - begun) / 1_000;
  return hook.handler({
    context: { ...told, event: hook.event, sessionId, userId, data },
    previous,
    timeoutSecs: Math.max(0.001, Math.min(secondsOf(hook), left)),
    root: cwd,
  });
}

/** How many milliseconds the policy of these hooks may take. */
export function chainDeadline(hooks: readonly AstridHook[]): number {
  const seconds = hooks.reduce((sum, hook) => sum + secondsOf(hook), 0);
  return (Math.min(seconds, MOST_SECONDS) + 1) * 1_000;
}

function secondsOf({ timeoutSecs = DEFAULTS.timeoutSecs }: AstridHook): number {
  return Math.min(timeoutSecs, MOST_SECONDS);
}

/** What Astrid says about an event beyond what drwn knows; nothing in other agents. */
export function furtherData({ runtime, metadata = {} }: Pick<ChainEvent, "metadata" | "runtime">): Fields {
  if (runtime !== "astrid") return {};
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !NOT_DATA.includes(key)));
}

const NOT_DATA = [...ASTRID_ENVELOPE, "tool_name", "server_name"];
