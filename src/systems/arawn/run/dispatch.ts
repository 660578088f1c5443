import os from "node:os";
import path from "node:path";
import { type Environment, readEnvironment, workingFolder } from "../../../kernel/host.ts";
import type { ArawnContext, ArawnEvent } from "../hook/events.ts";
import { loadArawnHooks } from "../read/load.ts";
import { ArawnDispatcher, type ArawnDispatcherOptions, describeArawnFault } from "./dispatcher.ts";
import type { ArawnOutcome } from "./outcome.ts";

export interface ArawnPlaces extends Pick<ArawnDispatcherOptions, "onError" | "onNote"> {
  /** The project's folder; absent: the folder in which this process works. */
  root?: string;
  /** The user's home folder. Absent: that of the environment. Null: none of the user's own hooks runs. */
  home?: string | null;
  /** Absent: that of this process. */
  env?: Environment;
}

/**
 * One event on its own: the files of the user and of the project are read for it. A file with a fault blocks tool calls, and
 * `onNote` is told of every fault. Rejects with a `TypeError` where Arawn has no such event: the caller must not let it proceed.
 * How often an agent was sent on is counted by whoever dispatches several events: `kept_going` of a `Stop` says it.
 */
export async function dispatchArawn<E extends ArawnEvent>(
  event: E,
  context: ArawnContext<E>,
  { root = workingFolder(), home, env = readEnvironment(), ...options }: ArawnPlaces = {},
): Promise<ArawnOutcome> {
  const { hooks, faults } = loadArawnHooks({
    home: home === undefined ? env["HOME"] || os.homedir() : home,
    root: path.resolve(root),
  });
  for (const fault of faults) options.onNote?.(describeArawnFault(fault));
  const session = env["ARAWN_SESSION_ID"];
  const known = session === undefined ? {} : { sessionId: session };
  return await new ArawnDispatcher({ hooks, faults, env, ...known, ...options }).dispatch(event, context);
}
