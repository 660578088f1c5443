/**
 * V8 keeps the code of a compiled hook program, so that the next process need not compile it. The code fits one V8 with
 * one set of flags: `foretold` and `brief` for the confined process of one call, `long` for the others. The launcher
 * gets these flags from here.
 */
export const KEPT_FOR = ["foretold", "brief", "long"] as const;
export type KeptFor = (typeof KEPT_FOR)[number];

/** The program that takes kept code and starts a hook program with it. */
export const LOADER = "load.cjs";

/** Flags that the launcher always passes. */
export const BOUNDS = "--no-opt --max-old-space-size=256 --disallow-code-generation-from-strings";
/** An additional flag for confined processes, so that no other thread takes time. */
export const ONE_THREAD = "--single-threaded-gc";
/** Additional flags that turn off what V8 only does for long-running programs. */
export const BRIEF =
  "--liftoff-only --no-sparkplug --no-ignition-reo --no-regexp-tier-up --min-semi-space-size=4 --preserve-symlinks-main --no-global-search-paths";
/** With this flag V8 keeps the hash seed that its snapshot was built with. */
export const FORETOLD = "--no-rehash-snapshot";

export function flagsFor(kind: KeptFor): string[] {
  const confined = kind === "long" ? [] : [BRIEF, ONE_THREAD];
  return [...(kind === "foretold" ? [FORETOLD] : []), ...confined, BOUNDS].join(" ").split(" ");
}

/**
 * How many hexadecimal digits identify the Node binary that kept the code. `drwn write` keeps the code again for
 * another.
 */
export const MARK_BYTES = 64;

/**
 * After the mark, a line says which Node takes the code. The code follows twice, so that damage to either copy is
 * noticed, and then the program's text. The code is aligned, since V8 would copy it otherwise.
 */
export function startOfCode(line: string): number {
  return Math.ceil((MARK_BYTES + line.length) / 8) * 8;
}

export function keptCodeOf(program: string, kind: KeptFor): string {
  return program.replace(/\.cjs$/u, `.${kind}`);
}

/** The name of a shard in stack traces. */
export const SHARD_NAME = "drwn-policies";

/** Only in the confined process of one call do policies get their code from shards, so nothing is kept for `long`. */
export const SHARDS_KEPT_FOR = ["foretold", "brief"] as const;
export type ShardsKeptFor = (typeof SHARDS_KEPT_FOR)[number];

/**
 * Where the code begins in the file and how many bytes it has, by the digest of the shard, or of the SDK that shards
 * share.
 */
export type ShardPlaces = Readonly<Partial<Record<string, readonly [start: number, length: number]>>>;

/**
 * The longest line of places, which follows the line about Node. A plan with more shards than fit is compiled at each
 * call.
 */
export const LONGEST_PLACES = 16 * 1024;

/** Far larger than any real plan. */
export const LARGEST_KEPT_SHARDS = 32 * 1024 * 1024;
