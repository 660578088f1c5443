import { oneOf, withoutVersion } from "../pattern/one-of.ts";

/** Package managers that run a program of the project by its name, unless the name is one of these verbs. */
export const OWN_VERBS: ReadonlyMap<string, RegExp> = new Map(
  ["yarn", "pnpm", "bun"].map((name) => [
    name,
    /^(?:add|audit|bin|cache|ci|config|constraints|create|dedupe|deploy|dlx|exec|explain|fetch|global|help|i|import|info|init|install|licenses|link|list|login|logout|ls|node|npm|outdated|owner|pack|patch|pm|plugin|prune|publish|rebuild|remove|repl|restart|rm|root|run|server|set|setup|start|stop|store|tag|team|test|un|uninstall|unlink|unplug|up|update|upgrade|version|versions|view|why|workspaces?|x|-.*)$/u,
  ]),
);

/** Programs for which `--` only ends the options. */
const ENDS_OPTIONS = oneOf(
  "git hub grep egrep fgrep zgrep rg ag ack ls cat cp mv ln rm rmdir mkdir touch chmod chown tar sed awk sort head tail wc diff echo printf test [ cd pushd kill set read shift xargs find make cargo go rustc node pytest jest vitest curl wget less more tee basename dirname realpath readlink stat trap unset export eval sh bash zsh jq gh psql mysql sqlite3 vim vi code",
);

/** An unknown program runs the words after `--` if they look like a command. */
export function behindDashes(program: string, given: readonly string[]): { words: string[] }[] {
  const at = given.indexOf("--");
  if (at < 0 || !/^[\w./-]*[a-zA-Z][\w./-]*$/.test(given[at + 1] ?? "") || endsOptions(program)) return [];
  // This is a guess, so a text that may not be for a shell isn't read as one.
  if (oneOf("eval trap source run exec")(given[at + 1] ?? "")) return [];
  return [{ words: given.slice(at + 1) }];
}

function endsOptions(program: string): boolean {
  return ENDS_OPTIONS(program) || withoutVersion(program) === "python";
}
