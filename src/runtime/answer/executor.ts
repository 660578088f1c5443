import type { ProjectPaths } from "../processes/child-permissions.ts";
import { type Deadlines, deadlinesFor, deadlinesInOneProcess } from "../processes/deadlines.ts";
import type { StartWorkers, WorkerRequest, Workers } from "../processes/workers.ts";
import { isConfined } from "../run/confined.ts";
import { type ConfinedPolicyHost, startPolicyHost } from "../run/policy-host.ts";

/** Who runs the policies: this process, if a process without authority can run them all, or workers. */
export type Executor = Deadlines &
  ({ where: "here"; stage: ConfinedPolicyHost } | { where: "workers"; workers: Workers });

interface ExecutorRequest extends ProjectPaths {
  until: number;
  startWorkers: StartWorkers | null;
  /** A process that answers more than one call sets the stage once. Absent: it isn't set yet. */
  policyHost?: ConfinedPolicyHost | null;
}

/** From here on foreign code runs. */
export function chooseExecutor(
  { until, startWorkers, policyHost, ...ground }: ExecutorRequest,
  work: WorkerRequest,
): Executor {
  if (isConfined())
    return { where: "here", stage: policyHost ?? startPolicyHost(), ...deadlinesInOneProcess(work, until) };
  if (startWorkers === null) throw new Error("it was not confined");
  const deadlines = deadlinesFor(work, until);
  return { where: "workers", workers: startWorkers(work, { paths: ground, ...deadlines }), ...deadlines };
}

export function endWorkers(executor: Executor): void {
  if (executor.where === "workers") executor.workers.end();
}
