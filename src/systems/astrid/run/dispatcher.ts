import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { type OpenedWasm, openWasm, type WasmResult } from "../../../helpers/handlers/wasm.ts";
import { type Environment, readEnvironment } from "../../../kernel/host.ts";
import { describeAstridFault } from "../read/describe-fault.ts";
import type { AstridLoadFault } from "../read/hook-file.ts";
import { type AstridEvent, isAstridEvent } from "../words/events.ts";
import type { Hook } from "../words/hook.ts";
import { compileAstridMatcher } from "../words/matcher.ts";
import { WASM_BYTES } from "../words/read-wasm-result.ts";
import { type AstridDispatched, inOrder, type ReadyHook, runChain } from "./run-chain.ts";
import type { WasmRequest } from "./run-handler.ts";

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
