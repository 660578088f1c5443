/**
 * The journal of one project: one line of JSON for each call of the hook, in `projects/<key>/journal.jsonl`.
 * `docs/reference/journal.md` specifies it. Both wings read it: the hook process to chain its line to earlier ones, the
 * CLI for people.
 *
 * Each line ends with `"at":<offset>,"prev":"<digest>","hash":"<digest>"}`. `at` is how long the file was when the hook
 * looked at it, `prev` binds the lines in it that no earlier line binds, and `hash` is the digest of the rest of this
 * line.
 */
export const JOURNAL = {
  /** The size in bytes at which a journal is put aside. */
  segment: 10 * 1024 * 1024,
  /** How many journals that were put aside are kept. */
  kept: 4,
  /** The `prev` of the very first line. */
  beginning: "0".repeat(64),
  /** How many characters of a policy's digest a line has: `sha256-` and 128 bits. */
  bundle: 39,
} as const;

/** The end of a whole line, without its line break. */
export const LINE_END = /,"at":(\d{1,15}),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/u;

/** Stands before the hash in a line. The hash is the digest of everything before this. */
export const HASH_FIELD = ',"hash":"';

/** A journal that was put aside: `journal.<number>-<pid>.jsonl`. */
export const SEGMENT = /^journal\.(\d{6,})-\d+\.jsonl$/u;

/** Stands for a line that isn't ours when several lines are bound together. */
export const NO_HASH = "-";
