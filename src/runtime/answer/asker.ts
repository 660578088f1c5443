import type { Ground } from "../processes/child-permissions.ts";
import { type Ends, endsInOneProcess, endsOf } from "../processes/ends.ts";
import type { StartWorkers, Work, Workers } from "../processes/workers.ts";
import { isConfined } from "../run/confined.ts";
import { type ConfinedStage, setStage } from "../run/stage.ts";

/** Who runs the policies: this process, if a process without authority can run them all, or workers. */
export type Asker = Ends & ({ where: "here"; stage: ConfinedStage } | { where: "workers"; workers: Workers });

interface Place extends Ground {
  until: number;
  startWorkers: StartWorkers | null;
  /** A process that answers more than one call sets the stage once. Absent: it isn't set yet. */
  stage?: ConfinedStage | null;
}

/** From here on foreign code runs. */
export function chooseAsker({ until, startWorkers, stage, ...ground }: Place, work: Work): Asker {
  if (isConfined()) return { where: "here", stage: stage ?? setStage(), ...endsInOneProcess(work, until) };
  if (startWorkers === null) throw new Error("it was not confined");
  const ends = endsOf(work, until);
  return { where: "workers", workers: startWorkers(work, { ground, ...ends }), ...ends };
}

export function endWorkers(by: Asker): void {
  if (by.where === "workers") by.workers.end();
}
