/**
 * V8's cached code of a hook program, or of a plan's shards, so that the next process need not compile them. The code
 * fits one V8 with one set of flags: `fixed-seed` and `single-call` for the confined process of one call, `long-running` for the others.
 * The launcher gets these flags from here.
 */
export const CACHE_KINDS = ["fixed-seed", "single-call", "long-running"] as const;
export type CacheKind = (typeof CACHE_KINDS)[number];

/** Only in the confined process of one call do policies get their code from shards, so `long-running` has none. */
export const SHARD_CACHE_KINDS = ["fixed-seed", "single-call"] as const;

/** The program that reads cached code and starts a hook program with it. */
export const LOADER = "load.cjs";

/** Flags that the launcher always passes. */
export const LIMIT_FLAGS = "--no-opt --max-old-space-size=256 --disallow-code-generation-from-strings";
/** An additional flag for confined processes, so that no other thread takes time. */
export const SINGLE_THREAD_FLAG = "--single-threaded-gc";
/** Additional flags that turn off what V8 only does for long-running programs. */
export const SINGLE_CALL_FLAGS =
  "--liftoff-only --no-sparkplug --no-maglev --no-ignition-reo --no-regexp-tier-up --min-semi-space-size=4 --preserve-symlinks-main --no-global-search-paths";
/** With this flag V8 keeps the hash seed that its snapshot was built with. */
export const FIXED_HASH_SEED_FLAG = "--no-rehash-snapshot";

export function flagsFor(kind: CacheKind): string[] {
  const confined = kind === "long-running" ? [] : [SINGLE_CALL_FLAGS, SINGLE_THREAD_FLAG];
  return [...(kind === "fixed-seed" ? [FIXED_HASH_SEED_FLAG] : []), ...confined, LIMIT_FLAGS].join(" ").split(" ");
}

export function codeCacheOf(program: string, kind: CacheKind): string {
  return program.replace(/\.cjs$/u, `.${kind}`);
}

/**
 * A file of cached code begins with so many hexadecimal digits, which identify the Node binary that made it. `drwn write`
 * makes it again for another. After them come a line that says which Node accepts it, a line of offsets, and spaces.
 */
export const MARK_BYTES = 64;

/**
 * Where the first code begins. It is aligned, since V8 would copy it otherwise. If the lines don't fit before it, nothing
 * is cached.
 */
export const CODE_START = 48 * 1024;

/** Far larger than that of any real plan. */
export const LARGEST_CODE_CACHE = 32 * 1024 * 1024;

/**
 * Where the code of a program or a shard begins and how many bytes it has, by the name of its file without `.cjs`. The
 * code is there twice, so that damage to either copy is noticed, and then the text that it was compiled from.
 */
export type CodeOffsets = Readonly<Partial<Record<string, readonly [start: number, length: number]>>>;

/** The code in what is at its place, if it is whole and belongs to exactly this text. */
export function codeIn(bytes: Uint8Array, length: number, text: Uint8Array): Uint8Array | undefined {
  const code = bytes.subarray(0, length);
  if (!isSame(bytes.subarray(2 * length), text)) return undefined;
  return isSame(code, bytes.subarray(length, 2 * length)) ? code : undefined;
}

const { compare } = Buffer;

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return compare(one, other) === 0;
}
