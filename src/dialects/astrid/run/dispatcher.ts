import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { type OpenedWasm, openWasm, type WasmResult } from "../../../helpers/handlers/wasm.ts";
import { isMapping } from "../../../helpers/is-type.ts";
import { type Environment, readEnvironment } from "../../../kernel/host.ts";
import { type DispatchPaths, parseEvent, resolvePaths } from "../../running/event-program.ts";
import { userHooks } from "../hook/paths.ts";
import { type AstridLoadFault, describeAstridFault, discoverHooks } from "../read/discover.ts";
import { WASM_BYTES } from "../words/handlers.ts";
import { type AstridEvent, compileAstridMatcher, type Hook, isAstridEvent } from "../words/hook.ts";
import { type AstridDispatched, inOrder, type ReadyHook, runChain, type WasmRequest } from "./run-chain.ts";

export interface AstridDispatcherOptions {
  hooks: readonly Hook[];
  /** What could not be loaded. If its failure would have rejected an event, the dispatcher rejects the event. */
  faults?: readonly AstridLoadFault[];
  /** The workspace's folder: commands run in it, and paths are relative to it. */
  root: string;
  /** Commands get a few of these variables. Absent: the environment of this process. */
  env?: Environment;
}

/** What an event is about. */
export interface EventContext {
  data?: Readonly<Record<string, unknown>>;
  sessionId?: string | null;
  userId?: string | null;
}

/** Runs hooks for events as Astrid's executor does. */
export class AstridDispatcher {
  readonly #options: AstridDispatcherOptions;
  readonly #hooks: readonly ReadyHook[];
  /** Keyed by path and content, so that a module is compiled once. */
  readonly #modules = new Map<string, { bytes: Buffer; opened: OpenedWasm }>();

  constructor(options: AstridDispatcherOptions) {
    this.#options = options;
    this.#hooks = inOrder(options.hooks.map((hook) => ({ hook, matches: compileAstridMatcher(hook.matcher) })));
  }

  /** In the order in which they run. */
  get hooks(): readonly Hook[] {
    return this.#hooks.map(({ hook }) => hook);
  }

  /**
   * What the hooks of the event say together. The caller decides what to do with it: any event can be answered in any
   * way.
   */
  async dispatch(
    event: AstridEvent,
    { data = {}, sessionId = null, userId = null }: EventContext,
  ): Promise<AstridDispatched> {
    if (!isAstridEvent(event)) throw new TypeError(`${String(event)} isn't an event of Astrid`);
    const broken = this.#options.faults?.find(({ rejects }) => rejects.includes(event));
    if (broken !== undefined) {
      const reason = `a hook that is to reject when it fails cannot be loaded: ${describeAstridFault(broken)}`;
      return { result: { action: "block", reason }, executions: [], warnings: [] };
    }
    const timestamp = new Date().toISOString();
    const context = { invocationId: randomUUID(), event, sessionId, userId, timestamp, data };
    const { root, env = readEnvironment() } = this.#options;
    const place = { env, root, callWasm: (request: WasmRequest) => this.#callWasm(request) };
    return await runChain({ hooks: this.#hooks, context, place });
  }

  /** Releases what is kept for further events. */
  close(): void {
    for (const { opened } of this.#modules.values()) opened.close();
    this.#modules.clear();
  }

  #callWasm({ modulePath, ...call }: WasmRequest): Promise<WasmResult> {
    const bytes = fs.readFileSync(modulePath);
    const known = this.#modules.get(modulePath);
    if (known?.bytes.equals(bytes) === true) return known.opened.call(call);
    known?.opened.close();
    const opened = openWasm({ module: bytes, maxMemoryBytes: WASM_BYTES });
    this.#modules.set(modulePath, { bytes, opened });
    return opened.call(call);
  }
}

/**
 * Dispatches a single event, for which it reads the files of the workspace and of the user. Faults of files are among
 * the warnings; a fault in a hook that rejects when it fails rejects the event. Rejects with a `TypeError` if Astrid
 * has no such event: the caller must not let it proceed.
 */
export async function dispatchAstrid(
  event: AstridEvent,
  context: EventContext,
  places: DispatchPaths = {},
): Promise<AstridDispatched> {
  const { root, home, env } = resolvePaths(places);
  const extraPaths = home === null ? [] : [userHooks({ env, home })];
  const { hooks, faults } = discoverHooks({ root, extraPaths });
  const dispatcher = new AstridDispatcher({ hooks: hooks.map(({ hook }) => hook), faults, root, env });
  try {
    const dispatched = await dispatcher.dispatch(event, context);
    return { ...dispatched, warnings: [...faults.map(describeAstridFault), ...dispatched.warnings] };
  } finally {
    dispatcher.close();
  }
}

const CONTEXT_KEYS = ["invocation_id", "event", "session_id", "user_id", "timestamp", "data", "previous_results"];

/**
 * Reads the event from standard input: the context as hooks get it, or only its data. Throws for anything else, for the
 * context of another event, and for a tool call that doesn't name its tool.
 */
export function readAstridPayload(event: AstridEvent, text: string): EventContext {
  const payload = parseEvent(text);
  if (!Object.keys(payload).every((key) => CONTEXT_KEYS.includes(key))) return { data: judgeable(event, payload) };
  const { event: named = event, data = {} } = payload;
  if (named !== event) throw new Error(`the event on standard input is ${JSON.stringify(named)}, not ${event}`);
  if (!isMapping(data)) throw new Error("the data of the event isn't a JSON object");
  return { data: judgeable(event, data), sessionId: textOf(payload, "session_id"), userId: textOf(payload, "user_id") };
}

/** Without the tool's name no matcher would find the call, and every guard would let it pass. */
function judgeable(event: AstridEvent, data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (event === "pre_tool_call" && typeof data["tool_name"] !== "string") throw new Error(`${event} has no tool_name`);
  return data;
}

function textOf(payload: Readonly<Record<string, unknown>>, key: string): string | null {
  const value = payload[key] ?? null;
  if (value === null || typeof value === "string") return value;
  throw new Error(`the ${key} of the event isn't text`);
}
