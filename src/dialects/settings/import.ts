import fs from "node:fs";
import path from "node:path";
import { HANDLER_FILE, type HandlerFile, isInterpreter, parseHandler } from "../../card/compiler/handler-module.ts";
import { compileMatcher } from "../../card/matcher.ts";
import { DEADLINES } from "../../contract/deadlines.ts";
import { isMapping } from "../../helpers/is-type.ts";
import { formatJson, parseStrictJson } from "../../kernel/format/json.ts";
import { readBounded } from "../../kernel/format/read.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { eventNamed } from "../../policy/dialect-names.ts";
import { isCanonicalEvent, powersOf } from "../../policy/lifecycle-events.ts";
import { type CarriedScript, carryScript, isUsualPlace } from "../importing/carried-script.ts";
import { handlerHook, hookName, lineOfJsonEntry } from "../importing/handler-hook.ts";
import {
  ASKS_DRWN,
  type DescribeCoverage,
  type Difference,
  type Imported,
  type ImportedHook,
} from "../importing/imported.ts";

const FILES: Readonly<Record<SettingsOwner, readonly string[]>> = {
  claude: [".claude/settings.json", ".claude/settings.local.json", "settings.json", "hooks/hooks.json"],
  codex: [".codex/hooks.json", "hooks.json"],
};

/**
 * Turns the hook settings of Claude Code or Codex into hooks of a card. A folder means the first settings file in it.
 */
export function importSettings(
  place: string,
  { owner, describeReach }: { owner: SettingsOwner; describeReach: DescribeCoverage },
): Imported {
  const file = fs.existsSync(place) && fs.statSync(place).isDirectory() ? findFile(place, owner) : place;
  const { text, entries } = readHookSettings(file);
  const taken = new Set<string>();
  const hooks: ImportedHook[] = [];
  const differences = entries.flatMap((entry): Difference[] => {
    const at = { policy: entry.entry, line: lineOfJsonEntry(text, entry.entry) };
    const made = makeHook(entry, { owner, place: placeOf(file), taken, describeReach });
    if ("why" in made) return [{ ...at, hook: null, what: `it is not imported: ${made.why}` }];
    hooks.push(made.hook);
    return made.differences.map((what) => ({ ...at, hook: made.hook.name, what }));
  });
  return { hooks, differences };
}

function findFile(folder: string, owner: SettingsOwner): string {
  const found = FILES[owner].map((name) => path.join(folder, name)).find((file) => fs.existsSync(file));
  if (found !== undefined) return found;
  throw new Problem("DRWN_POLICIES_UNREADABLE", `${clean(folder)} has none of ${FILES[owner].join(", ")}`);
}

/** The project of the settings, or the plugin, where their commands look for files. */
interface Place {
  root: string;
  /** The variable that names this folder. */
  variable: string;
  isPlugin: boolean;
}

function placeOf(file: string): Place {
  const folder = path.dirname(file);
  const isPlugin = path.basename(folder) === "hooks" && path.basename(file) === "hooks.json";
  const root = isPlugin || /^\.(?:claude|codex)$/u.test(path.basename(folder)) ? path.dirname(folder) : folder;
  return { root, variable: isPlugin ? "CLAUDE_PLUGIN_ROOT" : "CLAUDE_PROJECT_DIR", isPlugin };
}

interface Making {
  owner: SettingsOwner;
  place: Place;
  taken: Set<string>;
  describeReach: DescribeCoverage;
}

type Made = { hook: ImportedHook; differences: string[] } | { why: string };

/** The events that Claude Code's hooks can guard. On other events a failure changes nothing, there or here. */
const GUARDED: readonly string[] = ["tool.before", "prompt.submit", "approval.before"];

function makeHook(entry: SettingsEntry, { owner, place, taken, describeReach }: Making): Made {
  const canonical = eventNamed(owner === "claude" ? "claude-code" : "codex", entry.event);
  if (!isCanonicalEvent(canonical)) return { why: `no card has hooks on ${entry.event}` };
  const event = canonical;
  // If there is nothing to match, the agents don't look at the matcher.
  const matcher = powersOf(event).subject === null ? { glob: null } : readMatcher(entry.matcher, owner);
  if ("why" in matcher) return matcher;
  const answering = handlerOf(entry.handler, place);
  if ("why" in answering) return answering;
  const { handler, script, timeoutMs } = answering;
  const isGuard = GUARDED.includes(event) && entry.handler["async"] !== true;
  const file: HandlerFile = {
    event,
    policyKind: isGuard ? "enforcement" : "observer",
    ...(matcher.glob === null ? {} : { matcher: matcher.glob }),
    timeoutMs,
    speaks: "claude",
    handler,
  };
  const fault = faultOf(file);
  if (fault !== undefined) return { why: fault };
  const name = hookName(answering.name, taken);
  const summary = `imported from the hook settings of ${owner === "claude" ? "Claude Code" : "Codex"}, ${entry.event}`;
  const further = handler.type === "command" ? (["env"] as const) : [];
  return {
    hook: handlerHook({ name, file, summary, further, ...(script === undefined ? {} : { script }) }),
    differences: [
      describeReach(canonical),
      ...(isGuard || !GUARDED.includes(event) ? describeTightened(event, owner) : [IN_BACKGROUND]),
      ...answering.notes,
    ],
  };
}

const IN_BACKGROUND =
  "it observes, as it does in the background (`async`): the call waits for it, and its answer holds nothing";

function describeTightened(event: HandlerFile["event"], owner: SettingsOwner): string[] {
  if (event === "tool.after") return ["what it says after a call does not reach the agent"];
  const ofCodex = owner === "codex" ? OF_CODEX[event] : undefined;
  return [
    ...(GUARDED.includes(event)
      ? [
          "whatever keeps it from answering blocks: an exit code other than 0 and 2, its deadline, an answer that isn't valid",
        ]
      : []),
    ...(event === "turn.stop" ? ["it keeps a turn going 8 times in a row at most"] : []),
    ...(ofCodex === undefined ? [] : [ofCodex]),
  ];
}

/** A card reads answers as Claude Code does, in every agent. Codex drops what it doesn't accept, and goes on. */
const OF_CODEX: { readonly [E in HandlerFile["event"]]?: string } = {
  "tool.before":
    "an `ask` asks a person, or blocks if none can be asked, a no without a reason blocks, and `updatedInput` counts without `allow`; Codex makes the call as it is",
  "turn.stop": "`additionalContext` that it prints keeps the turn going; Codex drops it",
};

/** Reports what packing would refuse, while somebody can still fix it. */
function faultOf(file: HandlerFile): string | undefined {
  try {
    parseHandler(Buffer.from(formatJson(file)), { file: HANDLER_FILE });
    return undefined;
  } catch (error) {
    if (!isProblem(error)) throw error;
    return error.message;
  }
}

/** The handler that answers for a card's hook, made from an entry of the settings. */
interface Answering {
  name: string;
  handler: HandlerFile["handler"];
  script?: CarriedScript;
  timeoutMs: number;
  notes: string[];
}

/** How many seconds the agents give a hook that asks for no other time. */
const USUAL_SECONDS = 60;
const TYPES = ["command", "http"];
/** What narrows a hook, or lets it do what no card can. Whatever else an agent doesn't know, it ignores. */
const WITHOUT_COUNTERPART = ["if", "once", "asyncRewake", "allowedEnvVars", "commandWindows"];

function handlerOf(entry: SettingsFields, place: Place): Answering | { why: string } {
  const { type, timeout = USUAL_SECONDS } = entry;
  if (typeof type !== "string" || !TYPES.includes(type))
    return { why: `no card has handlers of type ${JSON.stringify(type)}` };
  const lost = Object.keys(entry).find((field) => WITHOUT_COUNTERPART.includes(field));
  if (lost !== undefined) return { why: `a card has nothing like its field \`${lost}\`` };
  if (typeof timeout !== "number" || !(timeout > 0)) return { why: "its timeout isn't a number of seconds" };
  const answering = type === "http" ? serverOf(entry) : commandOf(entry, place);
  if ("why" in answering) return answering;
  const timeoutMs = Math.min(Math.ceil(timeout * 1_000), DEADLINES.maximum);
  const late = timeout * 1_000 > timeoutMs ? [`it has ${timeoutMs / 1_000} seconds, not ${timeout}`] : [];
  return { ...answering, timeoutMs, notes: [...answering.notes, ...late] };
}

const SERVER_NOTE = "an answer of its server that is neither empty nor a JSON object is a failure, and no context";

type Parts = Omit<Answering, "timeoutMs">;

function serverOf({ url, headers = {} }: SettingsFields): Parts | { why: string } {
  if (typeof url !== "string" || !URL.canParse(url)) return { why: "it has no url" };
  if (!isMapping(headers) || !Object.values(headers).every((value) => typeof value === "string")) {
    return { why: "its headers are not texts" };
  }
  if (Object.values(headers).some((value) => String(value).includes("$"))) {
    return { why: "its headers take variables from the environment, and those of a card do not" };
  }
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const name = new URL(url).hostname;
  return { name, handler: { type: "http", url, headers: given }, notes: [SERVER_NOTE] };
}

/** How drwn's own entries begin, or what they start. */
const OWN =
  /\bdrwn_(?:hook|shared)=|\bdrwn hook run\b|\/bin\/hook['"]? (?:claude-code|codex)\b|\/\.agents\/drwn\/bin\/hook$/u;

function commandOf(entry: SettingsFields, place: Place): Parts | { why: string } {
  const { command, args, shell = "bash" } = entry;
  if (typeof command !== "string" || command.trim() === "") return { why: "it has no command" };
  if (OWN.test(command)) return { why: ASKS_DRWN };
  if (shell !== "bash") return { why: `it is written for the shell ${JSON.stringify(shell)}` };
  if (args !== undefined && !isTexts(args)) return { why: "its args are not texts" };
  // With arguments, also with none of them, the agents start the program itself, without a shell.
  const line = args === undefined ? command : [command, ...args].map(quoteWord).join(" ");
  if (OWN.test(line)) return { why: ASKS_DRWN };
  const started = scriptIn(line, place);
  const carried =
    started === undefined ? undefined : carryScript({ root: place.root, file: started.file }, started.interpreter);
  const isBoundToUv =
    started?.isOfUv === true && carried !== undefined && "text" in carried && PACKAGES.test(carried.text);
  const script = isBoundToUv ? { why: "`uv` brings the packages that the script names" } : carried;
  if (script !== undefined && started !== undefined && "text" in script) {
    const { command: interpreter, options, name, notes } = script;
    const given = { ...(options === undefined ? {} : { options }), args: started.args };
    const handler = { type: "command" as const, command: interpreter, script: name, ...given };
    return { name: name.replace(/\.\w+$/u, ""), handler, script, notes: [...notes, ...started.notes] };
  }
  const because = script === undefined ? "" : ` (${"why" in script ? script.why : ""})`;
  return {
    name: path.basename(command.trim().split(/\s/u, 1)[0]?.replace(/["']/gu, "") ?? "").replace(/\.\w+$/u, ""),
    handler: { type: "command", command: "sh", args: ["-c", line] },
    notes: [
      `it stays a line of shell${because}: what it names is outside the card, and it runs whatever is there at the time`,
    ],
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

/** A word for a shell. The agents put folders in the place of `${CLAUDE_…}`, wherever it is in a word. */
function quoteWord(word: string): string {
  if (BARE.test(word)) return word;
  const folder = /^(?<folder>\$\{CLAUDE_\w+\})(?<rest>\/[^"$`\\]*)$/u.exec(word)?.groups;
  if (folder !== undefined) return `"${folder["folder"]}${folder["rest"]}"`;
  const parts = word.split(/(\$\{CLAUDE_\w+\})/u);
  return parts.length === 1
    ? shellQuote(word)
    : parts.map((part, at) => (at % 2 === 1 ? `"${part}"` : part === "" ? "" : shellQuote(part))).join("");
}

interface StartedScript {
  file: string;
  interpreter?: string;
  args: string[];
  isOfUv: boolean;
  /** What runs the script in a card, if that may be something else. */
  notes: string[];
}

const BARE = /^[\w@%+=:,./-]+$/u;

/**
 * One word of a line of shell that stands for itself, in quotes or not. It may begin with the folder of the project or
 * the plugin.
 */
const SHELL_WORD =
  /(?:"\$(?<quoted>CLAUDE_\w+|\{CLAUDE_\w+\})"(?=\/)|\$(?<plain>CLAUDE_\w+|\{CLAUDE_\w+\})(?=\/)|"\$(?<open>CLAUDE_\w+|\{CLAUDE_\w+\})(?<path>\/[^"$`\\\n]*)")?(?<rest>(?:"[^"$`\\\n]*"|'[^'\n]*'|[\w@%+=:,./-])*)(?:[ \t]+|$)/uy;
/** Lines of a script in Python that name packages, which uv brings. */
const PACKAGES = /^# \/\/\/ script\s*$/mu;

interface Word {
  text: string;
  /** The variable that names the folder where the text begins; undefined: none. */
  folder: string | undefined;
}

/** Undefined: the shell would do more than to start one program with these words. */
function wordsIn(line: string): Word[] | undefined {
  const text = line.trim();
  const words: Word[] = [];
  for (let at = 0; at < text.length; at = SHELL_WORD.lastIndex) {
    SHELL_WORD.lastIndex = at;
    const { quoted, plain, open, path: inner = "", rest = "" } = SHELL_WORD.exec(text)?.groups ?? {};
    if (SHELL_WORD.lastIndex === 0) return undefined;
    const ended = rest.replace(/"([^"]*)"|'([^']*)'/gu, "$1$2");
    words.push({ text: `${inner}${ended}`, folder: (quoted ?? plain ?? open)?.replace(/[{}]/gu, "") });
  }
  return words;
}

/** Recognises a command that starts one script of the project or the plugin, and nothing else. */
function scriptIn(line: string, { root, variable, isPlugin }: Place): StartedScript | undefined {
  const words = wordsIn(line);
  if (words === undefined) return undefined;
  const isOfUv = words[0]?.text === "uv" && words[1]?.text === "run";
  const of = words.slice(isOfUv ? (words[2]?.text === "--script" ? 3 : 2) : 0);
  if (isOfUv && of[0]?.text.endsWith(".py") !== true) return undefined;
  const first = of[0]?.text ?? "";
  const interpreter = isOfUv ? "python3" : isInterpreter(first) ? path.posix.basename(first) : undefined;
  const [file, ...args] = isOfUv || interpreter === undefined ? of : of.slice(1);
  // An option of the interpreter would be lost, and a bare word is a program of the machine.
  if (file === undefined || file.text.startsWith("-")) return undefined;
  if (interpreter === undefined && file.folder === undefined && !file.text.includes("/")) return undefined;
  // In a plugin, other paths begin where the agent works. Nothing expands a variable for a script of a card.
  if (file.folder === undefined ? isPlugin : file.folder !== variable) return undefined;
  if (args.some(({ folder }) => folder !== undefined)) return undefined;
  return {
    file: file.folder === undefined ? path.resolve(root, file.text) : path.join(root, file.text),
    args: args.map(({ text }) => text),
    isOfUv,
    ...(interpreter === undefined ? {} : { interpreter }),
    notes:
      interpreter === undefined || (!isOfUv && of[0]?.folder === undefined && isUsualPlace(first))
        ? []
        : [
            `\`${clean(isOfUv ? "uv run" : first, 200)}\` starts it; in a card the first \`${interpreter}\` that is found runs it`,
          ],
  };
}

type SettingsOwner = "claude" | "codex";

/**
 * What the agents take as exact names. Anything else is a regular expression, which they search for anywhere in a name.
 */
const EXACT: Readonly<Record<SettingsOwner, RegExp>> = { claude: /^[\w\- ,|]+$/u, codex: /^[\w|]+$/u };
/** Alternatives in one pair of parentheses, with anchors for all of them. */
const GROUP = /^(?<start>\^?)\((?:\?:)?(?<inner>[^()]*)\)(?<end>\$?)$/u;
/** Names with wildcards: the regular expressions that a glob can also express. */
const ALTERNATIVE = /^(?<start>\^?)(?<body>(?:[\w-]|\.\*)+)(?<end>\$?)$/u;

/** The glob for a matcher in the settings; null: every tool. */
export function readMatcher(matcher: string | null, owner: SettingsOwner): { glob: string | null } | { why: string } {
  if (matcher === null || matcher === "" || matcher === "*") return { glob: null };
  const globs = EXACT[owner].test(matcher) ? namesIn(matcher) : globsOf(matcher);
  if (globs === undefined)
    return { why: `its matcher \`${matcher}\` is a regular expression that no glob can express` };
  if (globs.includes("*")) return { glob: null };
  const glob = globs.join("|");
  try {
    compileMatcher(glob);
    return { glob };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { why: error.message };
  }
}

function namesIn(matcher: string): string[] {
  return matcher.split(/[|,]/u).map((name) => name.trim());
}

/** Undefined: some of it has no glob. An alternative without an anchor may have anything at that end. */
function globsOf(matcher: string): string[] | undefined {
  const { start = "", inner = matcher, end = "" } = GROUP.exec(matcher)?.groups ?? {};
  const globs: string[] = [];
  for (const alternative of inner.split("|")) {
    const found = ALTERNATIVE.exec(alternative)?.groups;
    if (found === undefined) return undefined;
    const isBegun = `${start}${found["start"]}` !== "";
    const isEnded = `${end}${found["end"]}` !== "";
    const body = (found["body"] ?? "").replaceAll(".*", "*");
    globs.push(`${isBegun ? "" : "*"}${body}${isEnded ? "" : "*"}`.replace(/\*+/gu, "*"));
  }
  return globs;
}

type SettingsFields = Readonly<Record<string, unknown>>;

/** One handler in the hook settings of Claude Code or Codex. */
interface SettingsEntry {
  event: string;
  /** `hooks.PreToolUse[0].hooks[1]` */
  entry: string;
  matcher: string | null;
  handler: SettingsFields;
}

/**
 * The handlers of a settings file, in order. For any other shape, throws a `Problem` that names file, entry and field.
 */
function readHookSettings(file: string): { text: string; entries: SettingsEntry[] } {
  const bytes = readBounded(file);
  if (bytes === undefined) throw new Problem("DRWN_POLICIES_UNREADABLE", `there is no ${clean(file)}`);
  const text = bytes.toString("utf8");
  const root = parseStrictJson(text, { file });
  const hooks = isMapping(root) ? (root["hooks"] ?? {}) : undefined;
  if (!isMapping(hooks)) throw refuse(file, "hooks", "should be an object");
  const entries = Object.entries(hooks).flatMap(([event, groups]) =>
    listAt(file, `hooks.${event}`, groups).flatMap((group, at) =>
      readGroup(file, { event, group, name: `hooks.${event}[${at}]` }),
    ),
  );
  return { text, entries };
}

function readGroup(
  file: string,
  { event, group, name }: { event: string; group: unknown; name: string },
): SettingsEntry[] {
  if (!isMapping(group)) throw refuse(file, name, "should be an object");
  const { matcher = null, hooks } = group;
  if (matcher !== null && typeof matcher !== "string") throw refuse(file, `${name}.matcher`, "should be text");
  return listAt(file, `${name}.hooks`, hooks).map((handler, at) => {
    const entry = `${name}.hooks[${at}]`;
    if (!isMapping(handler)) throw refuse(file, entry, "should be an object");
    return { event, entry, matcher, handler };
  });
}

function listAt(file: string, name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw refuse(file, name, "should be a list");
}

function refuse(file: string, name: string, what: string): Problem {
  return new Problem("DRWN_POLICIES_UNREADABLE", `${clean(file)}, \`${clean(name)}\` ${what}`);
}
