/** The commands that are about a project or, with `--global`, about every folder. */
const SCOPED_COMMANDS = [
  "add",
  "card trust",
  "card untrust",
  "doctor",
  "hook explain",
  "install",
  "list",
  "log",
  "log inputs",
  "outdated",
  "pause",
  "remove",
  "report",
  "status",
  "trust",
  "uninstall",
  "update",
  "why",
  "write",
] as const;

/** The commands that only root may give for every user, and those that anybody may give. */
const ROOTS_COMMANDS = [
  "add",
  "card trust",
  "card untrust",
  "install",
  "outdated",
  "pause",
  "remove",
  "uninstall",
  "update",
  "write",
] as const;
const READING_COMMANDS = ["doctor", "hook explain", "list", "log", "status", "why"] as const;

/** Matches the longest of several commands that begin alike. */
function namedIn(commands: readonly string[]): RegExp {
  const words = [...commands].sort().reverse().join("|");
  return new RegExp(
    `(?:\\bsudo )?\\bdrwn (?:${words})(?![\\w:-])(?! (?:accept|adopt|check|inputs|request|settings|--global|--system)\\b)`,
    "gu",
  );
}

const SCOPED = namedIn(SCOPED_COMMANDS);
const OF_ROOT = namedIn(ROOTS_COMMANDS);
const READING = namedIn(READING_COMMANDS);

export type WideScope = "global" | "system";

/** drwn's own phrases about a project. A card's words about a project stay unchanged. */
const OF_PROJECT =
  /\b(hook policies of|policy of|(?:in force|consented to|consented to its hooks|run) in|(?:call|calls|journal|agents) of) this project\b/gu;

/** Turns a text about a project and commands for it into one about every folder, or every user. */
export function forEveryFolder(text: string, scope: WideScope = "global"): string {
  const said = text.replaceAll(OF_PROJECT, `$1 the ${scope === "global" ? "global" : "system"} scope`);
  if (scope === "global") return said.replaceAll(SCOPED, "$& --global");
  return said
    .replaceAll(OF_ROOT, (words) => `sudo ${words.replace(/^sudo /u, "")} --system`)
    .replaceAll(READING, "$& --system");
}

/** The fields of operations' answers that contain commands. */
const FIELDS = new Set(["hint", "fix", "message", "review"]);

/** Turns an answer with advice for a project into one with advice for every folder. */
export function adviseForEveryFolder<T>(value: T, scope: WideScope = "global"): T {
  return advise(value, "", scope) as T;
}

/** Marks what others wrote, like the input of a call: a field of it with such a name isn't drwn's advice. */
export function verbatim<T extends object>(value: T): T {
  return Object.assign(Object.create(null), value);
}

function advise(value: unknown, field: string, scope: WideScope): unknown {
  if (typeof value === "string") return FIELDS.has(field) ? forEveryFolder(value, scope) : value;
  if (Array.isArray(value)) return value.map((item) => advise(item, field, scope));
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, advise(item, name, scope)]));
}
