import path from "node:path";
import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import { commands, type ShellCommand } from "darwinian-minds/hook-policy/helpers";

/** What only people change: drwn's records, drwn itself, and the files in which agents keep their hooks. */
const PLACES: readonly RegExp[] = [
  /(?:^|\/)\.agents\/drwn(?:\/|$)/i,
  /(?:^|\/)node_modules\/darwinian-minds(?:\/|$)/i,
  /(?:^|\/)\.claude\/settings(?:\.local)?\.json$/i,
  /(?:^|\/)managed-settings\.json$/i,
  /(?:^|\/)\.codex\/(?:hooks\.json|config\.toml)$/i,
  /(?:^|\/)\.(?:gemini|qwen|cursor|copilot)\/(?:settings|hooks)\.json$/i,
  /(?:^|\/)\.(?:copilot|github)\/hooks(?:\/|$)/i,
  /(?:^|\/)\.github\/copilot\/settings(?:\.local)?\.json$/i,
  /(?:^|\/)(?:\.?opencode|\.?kilo|\.kilocode)\/plugins?(?:\/|$)/i,
  /(?:^|\/)\.pi\/(?:agent\/)?(?:settings\.json|extensions(?:\/|$))/i,
];
/** Folders that hold such files: whoever removes, moves or enters one gets at the files without naming them. */
const HOLDERS = /(?:^|\/)\.(?:agents|claude|codex|gemini|cursor|copilot|opencode|kilo|kilocode|pi|qwen)$/i;
const MOVERS = new Set(["rm", "mv", "cp", "ln", "cd", "pushd", "find", "rsync", "tar", "chmod", "chown", "git"]);

/** drwn's commands for people. */
const FOR_PEOPLE =
  /^card (?:trust|untrust|yank|unyank)\b|^(?:card )?remove\b|^(?:pause|uninstall)\b|^trust (?:accept|request|settings)\b|^config (?:set|unset)\b|^key (?:trust|new)\b|^registry (?:add|remove)\b/;
/** Flags that make a command for everybody one for people. */
const PEOPLE_FLAGS: readonly string[] = ["--trust", "--secret", "--adopt", "--no-adopt", "--accept-fewer"];
const DRWN = /(?:^|\/)(?:drwn(?:\.js)?|darwinian-minds)(?:@[^/]*)?$/;
/** What starts a program that it is given as an argument. */
const RUNNERS = new Set([
  "node",
  "npx",
  "npm",
  "pnpm",
  "pnpx",
  "yarn",
  "bun",
  "bunx",
  "eval",
  "exec",
  "command",
  "time",
]);

/** Shell commands that change nothing, as long as nothing is redirected. */
const READERS = new Set([
  "cat",
  "head",
  "tail",
  "less",
  "more",
  "grep",
  "rg",
  "ls",
  "stat",
  "file",
  "wc",
  "diff",
  "jq",
  "echo",
  "test",
  "[",
]);
const READING_GIT = /^(?:add|commit|diff|log|show|status|blame|ls-files)$/;
const READING_TOOL =
  /^(?:Read|Glob|Grep|LS|NotebookRead|read_file|read_many_files|list_directory|glob|grep|list|read|view)$/;
/** The names under which tools take a place. */
const PLACE_FIELD = /path|file|dir|folder|uri|target|destination/i;
const PATCH_LINE = /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ b?\/?|--- a?\/?)(.+)$/gmu;

export default defineToolPolicy({
  policyKind: "enforcement",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const reason = whyNot(event);
    if (reason !== undefined) return { action: "deny", reason: `${reason}. A person can, in a terminal of their own` };
  },
});

function whyNot(event: ToolPolicyEvent): string | undefined {
  if (READING_TOOL.test(event.toolName)) return undefined;
  const places = placesIn(event.input).find(isProtected);
  if (places !== undefined) return `an agent may not change ${places}`;
  if (event.toolName === "apply_patch") return undefined;
  for (const text of shellTexts(event.input)) {
    const found = commands({ ...event, toolName: "Bash", input: { command: text } });
    const fault = found.map(faultOf).find((one) => one !== undefined);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(command: ShellCommand): string | undefined {
  const verb = verbFor(command);
  if (verb !== undefined) return `an agent may not run \`drwn ${verb}\``;
  const written = command.redirections.filter(({ operator }) => operator.includes(">")).map(({ target }) => target);
  const { program } = command;
  const isReading = READERS.has(program) || (program === "git" && READING_GIT.test(command.arguments[0] ?? ""));
  const named = isReading ? written : [...written, ...command.arguments.flatMap(pathsIn)];
  const isMoving = MOVERS.has(program);
  const place = named.find((one) => isProtected(one) || (isMoving && HOLDERS.test(normal(one))));
  return place === undefined ? undefined : `an agent may not change ${place}`;
}

/** Which of drwn's commands for people this is; undefined: none of them. */
function verbFor({ program, path: place, arguments: given }: ShellCommand): string | undefined {
  const words = [place, ...given];
  // If only running the shell would tell the program's name, assume the worst.
  const at = /[$`*?]/.test(place)
    ? 0
    : DRWN.test(place)
      ? 0
      : RUNNERS.has(program)
        ? words.findIndex((w) => DRWN.test(w))
        : -1;
  if (at < 0) return undefined;
  const rest = words.slice(at + 1);
  const typed = rest.filter((word) => !word.startsWith("-")).join(" ");
  if (FOR_PEOPLE.test(typed)) return typed;
  const flag = PEOPLE_FLAGS.find((one) => rest.includes(one));
  return flag === undefined ? undefined : `${typed} ${flag}`;
}

/** The places that a tool other than a shell says it works on. */
function placesIn(input: unknown, field = ""): string[] {
  if (typeof input === "string") {
    const patched = [...input.matchAll(PATCH_LINE)].map(([, file = ""]) => file);
    return PLACE_FIELD.test(field) ? [input, ...patched] : /^\*\*\* Begin Patch/m.test(input) ? patched : [];
  }
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([key, value]) => placesIn(value, Array.isArray(input) ? field : key));
}

function shellTexts(input: unknown): string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([key, value]) => {
    if (!/^(?:command|cmd|script)$/.test(key)) return [];
    if (typeof value === "string") return [value];
    return Array.isArray(value) ? [value.map((word) => `'${String(word).replaceAll("'", "'\\''")}'`).join(" ")] : [];
  });
}

/** Whatever in an argument could be a path: `of=/a/b`, `open('/a/b', 'w')`. */
function pathsIn(argument: string): string[] {
  return [argument, ...argument.split(/[\s'"`=:,;()<>|&]+/)];
}

function isProtected(place: string): boolean {
  return PLACES.some((one) => one.test(normal(place)));
}

function normal(place: string): string {
  return path.posix.normalize(place.replaceAll("\\", "/").replace(/^file:\/\//, "")).replace(/(?<=.)\/+$/, "");
}
