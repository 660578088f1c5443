import { now } from "../../../hook-base/primordials.ts";
import { openCappedStderr } from "../../../hook-base/write.ts";

const MOST_SECONDS = 86_400;
/** Five seconds less than Claude Code waits for a hook without a timeout. */
const DEFAULT_SECONDS = 55;

/** One event, and what is said about it on the way. */
export interface HookerCall {
  event: Readonly<Record<string, unknown>>;
  /** The event's name as it came; null: it has none. */
  eventName: unknown;
  /** Whether undecodable bytes became U+FFFD. */
  isDamaged: boolean;
  warnings: Warnings;
  /** The environment of the programs that it starts. */
  env: HookerEnvironment;
  /** The milliseconds that all programs together have left. */
  left: () => number;
}

export type HookerEnvironment = Record<string, string | undefined>;

/** Warnings: printed to stderr at once, up to a limit, and kept for the agent. */
export class Warnings {
  readonly lines: string[] = [];
  readonly #print = openCappedStderr();

  add(line: string): void {
    this.lines.push(line);
    this.#print(`hooker: ${line}\n`);
  }
}

/** If a hook hangs, its agent ends it and nobody learns why. So programs are stopped earlier. */
export function deadlineOf(env: HookerEnvironment): () => number {
  const asked = Number(env["HOOKER_TIMEOUT"]);
  const seconds = asked > 0 && asked <= MOST_SECONDS ? asked : DEFAULT_SECONDS;
  return () => Math.max(1, Math.ceil(seconds * 1000 - now()));
}
