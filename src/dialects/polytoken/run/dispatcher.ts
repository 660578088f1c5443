import { callOf, type EventFields, type SessionFacts } from "../../../helpers/polytoken/call.ts";
import type { HookEvent } from "../../../helpers/polytoken/events.ts";
import { DEADLINE_MS } from "../../../helpers/polytoken/run-hook.ts";
import { type Environment, readEnvironment } from "../../../kernel/host.ts";
import { globalHooksFile, projectHooksFile } from "../places.ts";
import { type LoadedHook, loadHooks } from "../read/load.ts";
import { type Dispatched, fireHooks } from "./dispatch.ts";

export interface DispatcherOptions {
  /** The project's folder; its hooks are in `.polytoken/hooks.json`. Null: only global hooks. */
  root: string | null;
  /** Absent: `hooks.json` in Polytoken's config folder. Null: only the project's hooks. */
  globalFile?: string | null;
  /** What handlers inherit; absent: the environment of this process. */
  env?: Environment;
  /** For each handler; absent: 30000. */
  timeoutMs?: number;
}

/** What an event is about, with what is known of the session. */
export type HookContext<E extends HookEvent> = EventFields<E> & { readonly session?: SessionFacts };

/** The hooks of one project, as Polytoken holds them between two reloads. */
export class HookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #env: Environment;
  #hooks: readonly LoadedHook[];

  /** Throws a `Problem` that names file, line, entry and field, where a file has any fault. */
  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#env = options.env ?? readEnvironment();
    this.#hooks = this.#load();
  }

  /** In the order in which they run. */
  get hooks(): readonly LoadedHook[] {
    return this.#hooks;
  }

  /** Reads the files again: until then an edit has no effect. With a fault in one of them the hooks stay as they are. */
  reload(): void {
    this.#hooks = this.#load();
  }

  /**
   * Fires the event's hooks and says what becomes of the action. Rejects with a `TypeError` where the event lacks what its
   * matchers are compared with, or is none that Polytoken has: the caller must not let the action proceed.
   */
  async dispatch<E extends HookEvent>(event: E, context: HookContext<E>): Promise<Dispatched<E>> {
    const { session, ...fields } = context;
    const { root, timeoutMs = DEADLINE_MS } = this.#options;
    const facts = root === null ? session : { projectDir: root, ...session };
    const call = callOf(event, fields, facts);
    const cwd = facts?.projectDir;
    return await fireHooks({ hooks: this.#hooks, call, place: { env: this.#env, cwd, timeoutMs } });
  }

  #load(): LoadedHook[] {
    const { root, globalFile } = this.#options;
    const home = this.#env["HOME"] ?? "/";
    return loadHooks({
      globalFile: globalFile === undefined ? globalHooksFile({ env: this.#env, home }) : globalFile,
      projectFile: root === null ? null : projectHooksFile(root),
    });
  }
}

/**
 * One event on its own: the files are read for it, those of the project in which the session works and the global one. Rejects
 * as the dispatcher does, and with a `Problem` where a file has any fault.
 */
export async function dispatch<E extends HookEvent>(event: E, context: HookContext<E>): Promise<Dispatched<E>> {
  return await new HookDispatcher({ root: context.session?.projectDir ?? null }).dispatch(event, context);
}
