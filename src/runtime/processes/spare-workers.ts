import type { ChildProcess } from "node:child_process";
import { type ProjectPaths, permissionsFor } from "./child-permissions.ts";
import { type SpawnWorker, spawnWorker } from "./spawn-worker.ts";

/** At most this many processes are kept waiting for the next call. */
const MOST_SPARES = 4;

/**
 * Starts workers for a process that answers many calls. Each worker serves one call, so that no policy finds traces of
 * an earlier one. Workers without capabilities are started ahead, since they are all alike until they get their order.
 */
export class SpareWorkers {
  readonly #permissions: readonly string[] | undefined;
  readonly #live = new Set<ChildProcess>();
  #spares: ChildProcess[] = [];
  #taken = 0;

  constructor(ground: ProjectPaths) {
    this.#permissions = permissionsFor([], ground);
  }

  readonly take: SpawnWorker = (permissions, capabilities) => {
    if (capabilities.length > 0) return this.#start(permissions, capabilities);
    this.#taken++;
    return this.#spares.shift() ?? this.#start(permissions, capabilities);
  };

  /** Starts as many spares as calls have needed since the last refill. */
  refill(): void {
    if (this.#permissions === undefined) return;
    const wanted = Math.max(1, Math.min(MOST_SPARES, this.#taken));
    this.#taken = 0;
    try {
      while (this.#spares.length < wanted) this.#spares.push(this.#start(this.#permissions, []));
    } catch {
      // The system starts no more processes. The next call tries again, and blocks if it must.
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
    // It has ended already.
  }
}
