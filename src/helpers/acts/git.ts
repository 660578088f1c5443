import type { ToolPolicyEvent } from "../../policy/event.ts";
import { oneOf } from "../pattern/one-of.ts";
import { type Options, optionsOf } from "../programs/options.ts";
import { phraseOf } from "../programs/phrases.ts";
import { rowOf, shapeOf } from "../programs/rows.ts";
import { quoted } from "../shell/texts-in.ts";
import { projectOf, steps } from "./calls.ts";
import { resolvePlace } from "./places.ts";
import { type Step, stepsOf } from "./steps.ts";

/** One call of git, with the aliases that the call itself defines expanded. */
export interface GitStep {
  subcommand: string;
  arguments: string[];
  /** The arguments taken apart, as this subcommand of git does. */
  options: Options;
  /** Settings from `-c` and the environment, by lower-case key. */
  settings: ReadonlyMap<string, string>;
  /** The folder in which it works: `-C`, or the folder in which the command runs. */
  folder: string;
  step: Step;
  /** Whether its words and options are those of a phrase of the table of programs: `clean -f/--force !--dry-run`. */
  matches(phrase: string): boolean;
}

const DEEPEST = 4;
/** Nobody knows what `$x` is, but `$GIT` and `$(which git)` are most likely git. */
const GUESSED = () => /^.*git/iu;

/** Every call of git among the commands of a tool call. */
export function gitSteps(event: ToolPolicyEvent): GitStep[] {
  const aliases = new Map<string, string>();
  const asked = textOfServer(event);
  const all = asked === undefined ? steps(event) : stepsOf(asked, projectOf(event));
  return all.flatMap((step) => {
    const calls = gitStepsOf(step, 0, aliases);
    for (const { subcommand, arguments: given } of calls) if (subcommand === "config") noteAlias(given, aliases);
    return calls;
  });
}

/** Every call of git in a shell text. Throws if the text cannot be read. */
export function gitStepsIn(text: string): GitStep[] {
  return stepsOf(text, ".").flatMap((step) => gitStepsOf(step, 0, new Map()));
}

/** A call to an MCP server for git, as a git command: `git_reset` with `{ mode: "hard" }` is `git reset --hard`. */
function textOfServer({ toolName, input }: ToolPolicyEvent): string | undefined {
  if (!toolName.startsWith("mcp__")) return undefined;
  const subcommand = /^mcp__(?:.*__)?git_(\w+)$|^mcp__git__(\w+)$/u.exec(toolName)?.slice(1).find(Boolean);
  if (subcommand === undefined || typeof input !== "object" || input === null) return undefined;
  const toOption = (name: string) =>
    `--${name
      .replaceAll(/([a-z])([A-Z])/gu, "$1-$2")
      .replaceAll("_", "-")
      .toLowerCase()}`;
  const fields: [string, unknown][] = Object.entries(input);
  const words = fields.flatMap(([name, value]) => {
    if (value === true) return [toOption(name)];
    if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
    if (typeof value !== "string" || /^(?:message|content|repo\w*|cwd|working_?dir\w*)$/iu.test(name)) return [];
    return oneOf("mode type action operation")(name) ? [toOption(value)] : [value];
  });
  // On git's command line the remote comes before the refs.
  const remote = words.indexOf("origin");
  if (remote > 0) words.unshift(...words.splice(remote, 1));
  return ["git", subcommand.replaceAll("_", "-"), ...words].map(quoted).join(" ");
}

/** Notes `git config alias.x '…'`, which says what `git x` means from now on. */
function noteAlias(given: readonly string[], aliases: Map<string, string>): void {
  const at = given.findIndex((word) => /^alias\../u.test(word));
  const value = given[at + 1];
  if (at >= 0 && value !== undefined) aliases.set((given[at] ?? "").toLowerCase(), value);
}

function gitStepsOf(step: Step, depth: number, aliases: ReadonlyMap<string, string>): GitStep[] {
  const separate = step.program.startsWith("git-") ? /^git-([a-z-]+)$/u.exec(step.program)?.[1] : undefined;
  const settings = settingsOfEnvironment(step.environment);
  if (separate !== undefined) return [toCall(separate, step.arguments, { settings, folder: step.folder, step })];
  if (
    rowOf(step.program.toLowerCase())?.name !== "git" &&
    !(/^[$`]/u.test(step.program) && GUESSED().test(step.program))
  )
    return [];
  const given = step.arguments;
  const at = placeOfSubcommand(given);
  const { values } = optionsOf(given.slice(0, at), shapeOf("git"));
  for (const setting of [...values("c"), ...values("config-env")]) {
    const [key = "", ...rest] = setting.split("=");
    settings.set(key.toLowerCase(), rest.join("="));
  }
  const subcommand = given[at];
  if (subcommand === undefined) return [];
  if (subcommand === "clone" || subcommand === "init")
    for (const setting of optionsOf(given.slice(at + 1), shapeOf("git clone")).values("c", "config")) {
      const [key = "", ...set] = setting.split("=");
      settings.set(key.toLowerCase(), set.join("="));
    }
  const folder = values("C").reduce((from, to) => resolvePlace(to, from), step.folder);
  const rest = given.slice(at + 1);
  const name = `alias.${subcommand.toLowerCase()}`;
  const alias = settings.get(name) ?? aliases.get(name);
  if (alias === undefined && printsHelp(subcommand, rest)) return [];
  if (alias === undefined || depth >= DEEPEST) return [toCall(subcommand, rest, { settings, folder, step })];
  const words = rest.map(quoted).join(" ");
  const text = alias.startsWith("!") ? `${alias.slice(1)} ${words}` : `git ${alias} ${words}`;
  return stepsOf(text, folder).flatMap((inner) =>
    gitStepsOf({ ...inner, environment: step.environment }, depth + 1, new Map([...aliases, ...settings])),
  );
}

function toCall(
  subcommand: string,
  given: readonly string[],
  around: Pick<GitStep, "settings" | "folder" | "step">,
): GitStep {
  const options = optionsOf(given, shapeOf(`git ${subcommand}`));
  const matches = (phrase: string) =>
    // A call is compared with many phrases of other subcommands, which needn't be taken apart.
    phrase.includes(subcommand) && phraseOf(phrase).matches([subcommand, ...options.operands], options);
  return { subcommand, arguments: [...given], options, ...around, matches };
}

/** `git reset --hard --help` does nothing but open a page. */
function printsHelp(subcommand: string, rest: readonly string[]): boolean {
  if (subcommand === "help" || (rest.length === 1 && rest[0] === "-h")) return true;
  const shape = { letters: "mFo", names: [], ...shapeOf(`git ${subcommand}`) };
  return (
    rest.includes("--help") && optionsOf(rest, shape).has("help") && !optionsOf(rest, shape).operands.includes("--help")
  );
}

function placeOfSubcommand(given: readonly string[]): number {
  const valued = rowOf("git")?.values;
  let at = 0;
  for (; at < given.length && given[at]?.startsWith("-"); at++)
    if (valued?.has((given[at] ?? "").replace(/^--?/u, "")) === true) at++;
  return at;
}

/** `GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=…`, and `GIT_CONFIG_PARAMETERS`. */
function settingsOfEnvironment(environment: ReadonlyMap<string, string>): Map<string, string> {
  const settings = new Map<string, string>();
  for (const [name, value] of environment) {
    const place = /^GIT_CONFIG_KEY_(\d+)$/u.exec(name)?.[1];
    if (place !== undefined) settings.set(value.toLowerCase(), environment.get(`GIT_CONFIG_VALUE_${place}`) ?? "");
    if (name !== "GIT_CONFIG_PARAMETERS") continue;
    for (const [, key = "", set = ""] of value.matchAll(/'([^'=]+)'?='?([^']*)'/gu))
      settings.set(key.toLowerCase(), set);
  }
  return settings;
}
