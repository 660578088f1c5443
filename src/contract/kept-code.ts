/**
 * What V8 keeps of a hook program that it has compiled, so that the next process need not compile it. It holds for one V8 with one set of its
 * flags: `foretold` and `brief` for the confined process of one call, `long` for the others. The launcher has these flags from here.
 */
export const KEPT_FOR = ["foretold", "brief", "long"] as const;
export type KeptFor = (typeof KEPT_FOR)[number];

/** Takes what was kept, and starts the program with it. */
export const LOADER = "load.cjs";

/** V8 is told this by every launcher. */
export const BOUNDS = "--no-opt --max-old-space-size=256 --disallow-code-generation-from-strings";
/** And this where the process is confined, so that no thread but its own takes time. */
export const ONE_THREAD = "--single-threaded-gc";
/** What V8 does for programs that run long is not done for one call. */
export const BRIEF =
  "--liftoff-only --no-sparkplug --no-ignition-reo --no-regexp-tier-up --min-semi-space-size=4 --preserve-symlinks-main --no-global-search-paths";
/** V8 hashes the names of its snapshot by the number that they were built with. */
export const FORETOLD = "--no-rehash-snapshot";

export function flagsFor(kind: KeptFor): string[] {
  const confined = kind === "long" ? [] : [BRIEF, ONE_THREAD];
  return [...(kind === "foretold" ? [FORETOLD] : []), ...confined, BOUNDS].join(" ").split(" ");
}

/** Which file of Node the code was kept by, as hexadecimal digits: `drwn write` keeps it anew for another. */
export const MARK_BYTES = 64;

/**
 * Behind the mark a line says which Node takes the code. What V8 keeps stands there twice, so that no damage of one goes unseen, and then the
 * text of the program. V8 copies what isn't aligned.
 */
export function startOfCode(line: string): number {
  return Math.ceil((MARK_BYTES + line.length) / 8) * 8;
}

export function keptCodeOf(program: string, kind: KeptFor): string {
  return program.replace(/\.cjs$/u, `.${kind}`);
}

/** What stack traces call a shard. */
export const SHARD_NAME = "drwn-policies";

/** A call of one agent is judged in a confined process: only there policies have their code from shards. */
export const SHARDS_KEPT_FOR = ["foretold", "brief"] as const;
export type ShardsKeptFor = (typeof SHARDS_KEPT_FOR)[number];

/** By the digest of a shard, or of the SDK that shards share: where its code begins in the file, and how many bytes that is. */
export type ShardPlaces = Readonly<Partial<Record<string, readonly [start: number, length: number]>>>;

/** Behind the line about Node a line has the places. Plans with so many shards that it is longer are compiled at each call. */
export const LONGEST_PLACES = 16 * 1024;

/** No plan that comes near this is ever made. */
export const LARGEST_KEPT_SHARDS = 32 * 1024 * 1024;
