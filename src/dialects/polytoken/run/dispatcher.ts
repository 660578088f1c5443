import { type Environment, readEnvironment } from "../../../kernel/host.ts";
import { type LoadedPolytokenHook, loadPolytokenHooks } from "../read/load.ts";
import { globalHooksFile, polytokenProjectHooksFile } from "../read/paths.ts";
import { callOf, type EventFields, type PolytokenCall, type SessionFacts } from "../words/call.ts";
import {
  effectText,
  effectVerdict,
  type FiringVerdict,
  isAwaited,
  letsProceed,
  type OutcomeOf,
  type PolytokenEvent,
  type PolytokenOutcome,
} from "../words/events.ts";
import { DEADLINE_MS, type HandlerContext, proceedOutcome, runPolytokenHook } from "../words/run-hook.ts";

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

/** What one hook did. */
export interface Firing {
  hook: string;
  /** The hook's file, and its line there. */
  file: string;
  line: number;
  verdict: FiringVerdict;
  outcome: PolytokenOutcome;
  milliseconds: number;
}

export interface PolytokenDispatched<E extends PolytokenEvent = PolytokenEvent> {
  /** Whether the action that the event is about goes on. */
  proceeds: boolean;
  /**
   * The outcome of the hook that stopped the action; otherwise the one that proceeds, with the texts of all hooks in
   * order.
   */
  outcome: OutcomeOf<E>;
  /** What has fired so far; nothing if nobody waits for the hooks. */
  firings: readonly Firing[];
  /** All firings, once the last hook has ended. */
  settled: Promise<readonly Firing[]>;
}

interface DispatchRequest<E extends PolytokenEvent> {
  hooks: readonly LoadedPolytokenHook[];
  call: PolytokenCall<E>;
  place: HandlerContext;
}

/**
 * Fires the hooks that match, one after the other. A hook that stops the action ends the chain, and so does an error if
 * errors stop the action. Nobody waits for the hooks of an event that is over.
 */
async function fireHooks<E extends PolytokenEvent>(request: DispatchRequest<E>): Promise<PolytokenDispatched<E>> {
  const { event } = request.call;
  if (isAwaited(event)) {
    const firings = await fireChain(request);
    return { ...conclude(event, firings), firings, settled: Promise.resolve(firings) };
  }
  return { ...conclude(event, []), firings: [], settled: fireChain(request) };
}

async function fireChain({ hooks, call, place }: DispatchRequest<PolytokenEvent>): Promise<Firing[]> {
  const { event, subject } = call;
  const firings: Firing[] = [];
  for (const hook of hooks) {
    if (hook.event !== event || !hook.matches(subject)) continue;
    const start = performance.now();
    const outcome = await runPolytokenHook(hook, call, place);
    const milliseconds = performance.now() - start;
    const { name, file, line } = hook;
    firings.push({ hook: name, file, line, verdict: effectVerdict(event, outcome), outcome, milliseconds });
    if (!letsProceed(event, outcome)) break;
  }
  return firings;
}

function conclude<E extends PolytokenEvent>(
  event: E,
  firings: readonly Firing[],
): Pick<PolytokenDispatched<E>, "outcome" | "proceeds"> {
  const last = firings.at(-1);
  if (last !== undefined && !letsProceed(event, last.outcome)) {
    return { proceeds: false, outcome: asOwn(named(last)) };
  }
  const texts = firings.flatMap(({ outcome }) => effectText(event, outcome) ?? []);
  return { proceeds: true, outcome: asOwn(proceedOutcome(event, texts.length === 0 ? undefined : texts.join("\n"))) };
}

/** An error names its hook. */
function named({ hook, outcome }: Firing): PolytokenOutcome {
  return outcome.outcome === "error" ? { outcome: "error", message: `hook ${hook}: ${outcome.message}` } : outcome;
}

/** The outcomes of a chain belong to its event, whose table was used to read them. */
function asOwn<E extends PolytokenEvent>(outcome: PolytokenOutcome): OutcomeOf<E> {
  return outcome as OutcomeOf<E>;
}
