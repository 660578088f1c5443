/** What the exit code of every command means. */
export const EXIT = {
  done: 0,
  problem: 1,
  usage: 2,
  /** doctor, `--check` or `--strict` found something. */
  found: 3,
  /** A bug of ours: EX_SOFTWARE of sysexits(3). */
  bug: 70,
} as const;
