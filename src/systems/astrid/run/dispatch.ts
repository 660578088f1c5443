import os from "node:os";
import path from "node:path";
import { type Environment, readEnvironment, workingFolder } from "../../../kernel/host.ts";
import { userHooks } from "../hook/places.ts";
import { describeAstridFault } from "../read/describe-fault.ts";
import { discoverHooks } from "../read/discover.ts";
import type { AstridEvent } from "../words/events.ts";
import { AstridDispatcher, type EventContext } from "./dispatcher.ts";
import type { AstridDispatched } from "./run-chain.ts";

export interface AstridPlaces {
  /** The folder of the workspace; absent: the folder in which this process works. */
  root?: string;
  /** The home folder of the user, whose hooks run in every workspace. Absent: that of the environment. Null: none of them runs. */
  home?: string | null;
  /** Absent: that of this process. */
  env?: Environment;
}

/**
 * One event on its own: the files of the workspace and of the user are read for it. Faults of files are among the warnings; one in
 * a hook that rejects when it fails rejects the event. Rejects with a `TypeError` where Astrid has no such event: the caller must
 * not let it proceed.
 */
export async function dispatchAstrid(
  event: AstridEvent,
  context: EventContext,
  { root = workingFolder(), home, env = readEnvironment() }: AstridPlaces = {},
): Promise<AstridDispatched> {
  const folder = path.resolve(root);
  const extraPaths = home === null ? [] : [userHooks({ env, home: home ?? (env["HOME"] || os.homedir()) })];
  const { hooks, faults } = discoverHooks({ root: folder, extraPaths });
  const dispatcher = new AstridDispatcher({ hooks: hooks.map(({ hook }) => hook), faults, root: folder, env });
  try {
    const dispatched = await dispatcher.dispatch(event, context);
    return { ...dispatched, warnings: [...faults.map(describeAstridFault), ...dispatched.warnings] };
  } finally {
    dispatcher.close();
  }
}
