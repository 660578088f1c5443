/** The commands that are about a project, or with `--global` about every folder. */
const SCOPED_COMMANDS = [
  "add",
  "card trust",
  "card untrust",
  "doctor",
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

/** Of several that begin alike, the longest. */
const WORDS = [...SCOPED_COMMANDS].sort().reverse().join("|");
const COMMAND = new RegExp(`\\bdrwn (?:${WORDS})(?![\\w:-])(?! (?:accept|adopt|request|settings|--global)\\b)`, "gu");

/** A text that names commands for a project, as one that names them for every folder. */
export function forEveryFolder(text: string): string {
  return text.replaceAll(COMMAND, "$& --global");
}

/** What carries commands in the answers of operations. */
const FIELDS = new Set(["hint", "fix", "review"]);

/** An answer whose advice is for a project, as one for every folder. */
export function adviseForEveryFolder<T>(value: T): T {
  return advise(value, "") as T;
}

function advise(value: unknown, field: string): unknown {
  if (typeof value === "string") return FIELDS.has(field) ? forEveryFolder(value) : value;
  if (Array.isArray(value)) return value.map((item) => advise(item, field));
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, advise(item, name)]));
}
