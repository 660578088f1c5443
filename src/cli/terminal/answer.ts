import type { Console } from "./console.ts";

/** What a command answers: the value for `--json`, the lines for a person, and how it ended. */
export interface CommandAnswer {
  json: unknown;
  /** Prints the answer for a person; if it comes bit by bit, then as it comes. */
  print(console: Console): void | Promise<void>;
  /** One of EXIT; `done` when absent. */
  exitCode?: number;
}
