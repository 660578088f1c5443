/** Global options of git between its name and the subcommand: words that contain one of `- / . =`. */
const GIT = String.raw`git\b(?:\s+\S*[-/.=]\S*)*`;
const SUBCOMMANDS = ["commit", "push", "reset", "rebase", "checkout", "switch", "merge", "stash", "restore"];

/** hooker's match constants as hooker writes them, as Ruby regular expressions: they look at text, not at words. */
export const RUBY_CONSTANTS: ReadonlyMap<string, string> = new Map([
  ...SUBCOMMANDS.map((name): [string, string] => [`git_${name}`, String.raw`${GIT}\s+${name}\b`]),
  ["git_push_force", String.raw`${GIT}\s+push\b.*(?:--force\b|-f\b|\+\S)`],
]);
