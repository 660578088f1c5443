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
  "--liftoff-only --no-sparkplug --no-ignition-reo --no-regexp-tier-up --preserve-symlinks-main --no-global-search-paths";
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
