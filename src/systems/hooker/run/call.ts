import { now } from "../../../hot/primordials.ts";
import { openOutlet } from "../../../hot/printed.ts";

const MOST_SECONDS = 86_400;
/** Five seconds less than what Claude Code waits for a hook that names no timeout. */
const DEFAULT_SECONDS = 55;

/** One event, and what is said about it on the way. */
export interface HookerCall {
  event: Readonly<Record<string, unknown>>;
  /** The event's name as it came; null when it has none. */
  eventName: unknown;
  /** Undecodable bytes became U+FFFD. */
  isDamaged: boolean;
  warnings: Warnings;
  /** What programs that are started get. */
  env: HookerEnvironment;
  /** Milliseconds that are left for all programs together. */
  left: () => number;
}

export type HookerEnvironment = Record<string, string | undefined>;

/** Said at once on stderr, up to a point, and kept for the agent. */
export class Warnings {
  readonly lines: string[] = [];
  readonly #print = openOutlet();

  add(line: string): void {
    this.lines.push(line);
    this.#print(`hooker: ${line}\n`);
  }
}

/** A hook that hangs is ended by its agent, and nobody learns why: programs are stopped before. */
export function deadlineOf(env: HookerEnvironment): () => number {
  const asked = Number(env["HOOKER_TIMEOUT"]);
  const seconds = asked > 0 && asked <= MOST_SECONDS ? asked : DEFAULT_SECONDS;
  return () => Math.max(1, Math.ceil(seconds * 1000 - now()));
}
