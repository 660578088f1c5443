import { type Environment, readEnvironment } from "../../../kernel/host.ts";
import { type LoadedPolytokenHook, loadPolytokenHooks } from "../read/load.ts";
import { globalHooksFile, polytokenProjectHooksFile } from "../read/places.ts";
import { callOf, type EventFields, type SessionFacts } from "../words/call.ts";
import type { PolytokenEvent } from "../words/events.ts";
import { DEADLINE_MS } from "../words/run-hook.ts";
import { fireHooks, type PolytokenDispatched } from "./dispatch.ts";

export interface PolytokenDispatcherOptions {
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
export type PolytokenContext<E extends PolytokenEvent> = EventFields<E> & { readonly session?: SessionFacts };

/** The hooks of one project, as Polytoken holds them between two reloads. */
export class PolytokenDispatcher {
  readonly #options: PolytokenDispatcherOptions;
  readonly #env: Environment;
  #hooks: readonly LoadedPolytokenHook[];

  /** Throws a `Problem` that names file, line, entry and field, where a file has any fault. */
  constructor(options: PolytokenDispatcherOptions) {
    this.#options = options;
    this.#env = options.env ?? readEnvironment();
    this.#hooks = this.#load();
  }

  /** In the order in which they run. */
  get hooks(): readonly LoadedPolytokenHook[] {
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
  async dispatch<E extends PolytokenEvent>(event: E, context: PolytokenContext<E>): Promise<PolytokenDispatched<E>> {
    const { session, ...fields } = context;
    const { root, timeoutMs = DEADLINE_MS } = this.#options;
    const facts = root === null ? session : { projectDir: root, projectPath: root, ...session };
    const call = callOf(event, fields, facts);
    const cwd = facts?.projectDir;
    return await fireHooks({ hooks: this.#hooks, call, place: { env: this.#env, cwd, timeoutMs } });
  }

  #load(): LoadedPolytokenHook[] {
    const { root, globalFile } = this.#options;
    const home = this.#env["HOME"] ?? "/";
    return loadPolytokenHooks({
      globalFile: globalFile === undefined ? globalHooksFile({ env: this.#env, home }) : globalFile,
      projectFile: root === null ? null : polytokenProjectHooksFile(root),
    });
  }
}

/**
 * One event on its own: the files are read for it, those of the project in which the session works and the global one. Rejects
 * as the dispatcher does, and with a `Problem` where a file has any fault.
 */
export async function dispatchPolytoken<E extends PolytokenEvent>(
  event: E,
  context: PolytokenContext<E>,
): Promise<PolytokenDispatched<E>> {
  return await new PolytokenDispatcher({ root: context.session?.projectDir ?? null }).dispatch(event, context);
}
