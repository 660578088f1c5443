import type { Ground } from "./child-permissions.ts";
import type { Stage } from "./policy-run.ts";
import { setStage } from "./stage.ts";
import { startWorkers, type Work, type Workers, type WorkPlace } from "./workers.ts";

/**
 * Who runs the policies: this process, where one that has no authority can run them all, or workers. `until` is when all
 * policies together must have ended, in milliseconds since this process started.
 */
export type Asker =
  | { where: "here"; stage: Stage; until: number }
  | { where: "workers"; workers: Workers; until: number };

/** Node holds this process to what the launcher said: it can read drwn's own files, and start nothing. */
export function isConfined(): boolean {
  return "permission" in process;
}

/** From here on foreign code runs. */
export function chooseAsker({ until, spawn, ...ground }: Ground & Omit<WorkPlace, "ground">, work: Work): Asker {
  return isConfined()
    ? { where: "here", stage: setStage(), until }
    : { where: "workers", workers: startWorkers(work, { ground, until, spawn }), until };
}

export function endWorkers(by: Asker): void {
  if (by.where === "workers") by.workers.end();
}
