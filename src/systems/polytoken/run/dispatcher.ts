import { type Environment, readEnvironment } from "../../../kernel/host.ts";
import { type LoadedPolytokenHook, loadPolytokenHooks } from "../read/load.ts";
import { globalHooksFile, polytokenProjectHooksFile } from "../read/paths.ts";
import { callOf, type EventFields, type SessionFacts } from "../words/call.ts";
import type { PolytokenEvent } from "../words/events.ts";
import { DEADLINE_MS } from "../words/run-hook.ts";
import { fireHooks, type PolytokenDispatched } from "./dispatch.ts";

export interface PolytokenDispatcherOptions {
  /** The project's folder; its hooks are in `.polytoken/hooks.json`. Null: only global hooks. */
  root: string | null;
  /** Absent: `hooks.json` in Polytoken's config folder. Null: only the project's hooks. */
  globalFile?: string | null;
  /** What handlers inherit. Absent: the environment of this process. */
  env?: Environment;
  /** The limit for each handler. Absent: 30000. */
  timeoutMs?: number;
}

/** What an event is about, and what is known about the session. */
export type PolytokenContext<E extends PolytokenEvent> = EventFields<E> & { readonly session?: SessionFacts };

/** The hooks of one project, as Polytoken holds them between two reloads. */
export class PolytokenDispatcher {
  readonly #options: PolytokenDispatcherOptions;
  readonly #env: Environment;
  #hooks: readonly LoadedPolytokenHook[];

  /** If a file has any fault, throws a `Problem` that names file, line, entry and field. */
  constructor(options: PolytokenDispatcherOptions) {
    this.#options = options;
    this.#env = options.env ?? readEnvironment();
    this.#hooks = this.#load();
  }

  /** In the order in which they run. */
  get hooks(): readonly LoadedPolytokenHook[] {
    return this.#hooks;
  }

  /**
   * Reads the files again; until then an edit has no effect. If one of them has a fault, the hooks stay as they are.
   */
  reload(): void {
    this.#hooks = this.#load();
  }

  /**
   * Fires the event's hooks and says what happens to the action. Rejects with a `TypeError` if Polytoken has no such
   * event, or if the event lacks what its matchers are compared with: the caller must not let the action proceed.
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
 * Dispatches a single event, for which it reads the global file and that of the project in which the session works.
 * Rejects as the dispatcher does, and with a `Problem` if a file has any fault.
 */
export async function dispatchPolytoken<E extends PolytokenEvent>(
  event: E,
  context: PolytokenContext<E>,
): Promise<PolytokenDispatched<E>> {
  return await new PolytokenDispatcher({ root: context.session?.projectDir ?? null }).dispatch(event, context);
}
