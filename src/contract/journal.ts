/**
 * The journal of one project: one line of JSON for each call of the hook, in `projects/<key>/journal.jsonl`. `docs/reference/journal.md`
 * is its specification. Both wings read it: the hook process to chain its line to those before, the CLI for people.
 *
 * Each line ends with `"at":<offset>,"prev":"<digest>","hash":"<digest>"}`. `at` is how long the file was when the hook looked
 * at it, `prev` binds the lines that lay there and that no earlier line binds, `hash` is the digest of the line before it.
 */
export const JOURNAL = {
  /** Bytes after which a journal is put aside. */
  segment: 10 * 1024 * 1024,
  /** Journals put aside that are kept. */
  kept: 4,
  /** What a first line binds. */
  beginning: "0".repeat(64),
  /** Hex digits of a hash that are kept in the file of seals, one line for each line of the journal. */
  seal: 16,
  /** Characters of a policy's digest: `sha256-` and 128 bits. */
  bundle: 39,
} as const;

/** The end of a whole line, without its line break. */
export const LINE_END = /,"at":(\d{1,15}),"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/u;

/** What precedes the hash in a line, and is what it is the digest of. */
export const HASH_FIELD = ',"hash":"';

/** A journal that was put aside: `journal.<number>-<pid>.jsonl`, its seals beside it. */
export const SEGMENT = /^journal\.(\d{6,})-\d+\.jsonl$/u;

/** Stands for a line that isn't ours where lines are bound together. */
export const NO_HASH = "-";
