import type { ChildProcess } from "node:child_process";
import { type Ground, permissionsFor } from "./child-permissions.ts";
import { type SpawnWorker, spawnWorker } from "./spawn-worker.ts";

/** Of the processes that one call needs, so many are kept waiting for the next. */
const MOST_SPARES = 4;

/**
 * Starts workers for a process that answers many calls. Each worker serves one call, so that no policy finds anything of an
 * earlier one; but those without capabilities are started ahead, since they are all the same until they get their order.
 */
export class SpareWorkers {
  readonly #permissions: readonly string[] | undefined;
  readonly #live = new Set<ChildProcess>();
  #spares: ChildProcess[] = [];
  #taken = 0;

  constructor(ground: Ground) {
    this.#permissions = permissionsFor([], ground);
  }

  readonly take: SpawnWorker = (permissions, capabilities) => {
    if (capabilities.length > 0) return this.#start(permissions, capabilities);
    this.#taken++;
    return this.#spares.shift() ?? this.#start(permissions, capabilities);
  };

  /** As many as calls have needed since the last time. */
  refill(): void {
    if (this.#permissions === undefined) return;
    const wanted = Math.max(1, Math.min(MOST_SPARES, this.#taken));
    this.#taken = 0;
    try {
      while (this.#spares.length < wanted) this.#spares.push(this.#start(this.#permissions, []));
    } catch {
      // The system gives no more processes: the next call tries by itself, and blocks where it must.
    }
  }

  endAll(): void {
    for (const { pid } of this.#live) endGroup(pid);
  }

  #start(...[permissions, capabilities]: Parameters<SpawnWorker>): ChildProcess {
    const child = spawnWorker(permissions, capabilities);
    this.#live.add(child);
    const forget = (): void => {
      this.#live.delete(child);
      this.#spares = this.#spares.filter((spare) => spare !== child);
    };
    child.on("exit", forget);
    child.on("error", forget);
    child.stdin?.on("error", () => {});
    return child;
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}
