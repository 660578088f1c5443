import { once } from "darwinian-minds/hook-policy/helpers";

/**
 * Only people change these: drwn's records, drwn itself, and the files from which agents take hooks, mods, plugins, servers and rules about what
 * needs no question. The names come from the agents' programs; docs/reference/guarded.md tells what they did.
 */
const PLACES = once((): readonly RegExp[] => [
  /(?:^|\/)\.agents\/drwn(?:\/|$)/i,
  /(?:^|\/)(?:etc\/drwn|Application Support\/drwn|\.config\/drwn|\.drwn)(?:\/|$)/i,
  /(?:^|\/)(?:node_modules|\$\(npm root[^)]*\)|`npm root[^`]*`)\/darwinian-minds(?:\/|$)/i,
  /(?:^|\/)\.?bin\/(?:drwn|darwinian-minds)$/i,
  /(?:^|\/)\.claude\/(?:settings(?:\.local)?\.json|plugins(?:\/|$)|mods(?:\/|$)|hooks(?:\/|$)|local(?:\/|$))/i,
  // A skill with one of these is a plugin, and a plugin may be a mod.
  /(?:^|\/)\.(?:claude|agents)\/(?:skills|commands|agents)\/(?:.*\/)?(?:\.claude-plugin|hooks|mods|plugin\.json|hooks\.json|\.lsp\.json)(?:\/|$)/i,
  /(?:^|\/)(?:\.claude\.json|\.mcp\.json)$/i,
  /(?:^|\/)(?:(?:remote|managed)-settings\.json|managed-settings\.d|managed-mcp\.json|managed_config\.toml)(?:\/|$)/i,
  /(?:^|\/)etc\/(?:claude-code|codex|gemini-cli|opencode|qwen-code)(?:\/|$)/i,
  /(?:^|\/)\.codex\/(?:hooks\.json|(?:[^/]*\.)?config\.toml|\.env|(?:hooks|plugins|rules)(?:\/|$))/i,
  /(?:^|\/)requirements\.toml$/i,
  /(?:^|\/)\.(?:gemini|qwen|cursor|copilot)\/(?:settings|hooks|config|mcp|mcp-config|cli-config|permissions|trustedFolders)\.json$/i,
  /(?:^|\/)\.(?:gemini|qwen)\/(?:\.env$|(?:extensions|hooks|policies)(?:\/|$))/i,
  // Values in them may be commands, and packages are extensions, too.
  /(?:^|\/)\.pi\/(?:agent\/)?(?:(?:settings|mcp|models|trust)\.json$|(?:extensions|npm|git)(?:\/|$))/i,
  /(?:^|\/)\.cursor\/(?:hooks|extensions|plugins)(?:\/|$)/i,
  /(?:^|\/)\.copilot\/(?:hooks|plugins|installed-plugins|extensions)(?:\/|$)/i,
  /(?:^|\/)\.github\/(?:hooks|extensions)(?:\/|$)/i,
  /(?:^|\/)\.github\/copilot\/settings(?:\.local)?\.json$/i,
  /(?:^|\/)(?:\.?opencode|\.?kilo|\.kilocode)\/(?:plugins?|tools?)(?:\/|$)/i,
  /(?:^|\/)\.?(?:opencode|kilo)\.jsonc?$/i,
  /(?:^|\/)(?:\.?opencode|\.?kilo|\.kilocode)\/(?:config|opencode|kilo)\.jsonc?$/i,
]);
/** Files with lines that agents run by themselves, or with hooks of their own: skills, commands, agents. */
const LOADED = () =>
  /(?:^|\/)\.(?:claude|agents|gemini|opencode|kilo|kilocode|qwen|codex|cursor|copilot|github|config\/(?:opencode|kilo))\/(?:skills?|commands?|agents?|prompts)\/.*\.(?:md|toml|markdown)$/i;
/** What agents run or obey in such a file: `` !`command` ``, a block of them, `!{command}`, hooks and rights in its head. */
const RUN_BY_ITSELF = () =>
  /!`|^\s*```!|!\{|^\s*(?:hooks|allowed-tools|allowedTools|tools|mcpServers|permissionMode)\s*:/m;

/** Whether agents run something of what is written here by themselves. Unknown content may be anything. */
export function isLoaded(place: string, content: string | undefined): boolean {
  return LOADED().test(plain(place)) && (content === undefined || RUN_BY_ITSELF().test(content));
}

/** Folders of such files: what is put into one whole may hold any of them, and a plugin's files. */
const LOADED_FOLDER = () =>
  /(?:^|\/)\.(?:claude|agents|gemini|opencode|kilo|kilocode|qwen|codex|cursor|copilot|github|config\/(?:opencode|kilo))\/(?:skills?|commands?|agents?|prompts)(?:\/(?:.*\/)?[^/.]+)?$/i;

/** Whether this may be a folder from which agents load what runs by itself. */
export function isLoadedFolder(place: string): boolean {
  return LOADED_FOLDER().test(plain(place));
}

/** drwn's keys, with which a version comes from a person. */
export function isOwnKey(place: string): boolean {
  return /(?:^|\/)(?:\.agents|drwn)\/(?:drwn\/)?keys(?:\/own(?:\/.*)?)?$|(?:^|\/)keys\/own\/@[^/]*$/i.test(
    plain(place),
  );
}

/** Folders that hold such files: removing or moving one affects the files without naming them. */
const HOLDERS = () =>
  /(?:^|\/)\.(?:agents|claude|codex|gemini|cursor|copilot|opencode|kilo|kilocode|pi|qwen)(?:\/\*)?$/i;

export function isProtected(place: string): boolean {
  return PLACES().some((one) => one.test(plain(place)));
}

export function isHolder(place: string): boolean {
  return HOLDERS().test(plain(place));
}

/** One of each kind, in a home. */
const EXAMPLES = [
  "~/.agents/drwn/ledger/drwn.json",
  "~/.claude/settings.json",
  "~/.claude/plugins/installed_plugins.json",
  "~/.codex/hooks.json",
  "~/.codex/config.toml",
  "~/.claude/remote-settings.json",
  "~/.config/opencode/opencode.json",
  "~/.config/kilo/kilo.json",
  "~/.gemini/settings.json",
  "~/.pi/agent/settings.json",
  "~/.qwen/settings.json",
  "~/.cursor/hooks.json",
  "~/.copilot/config.json",
];

const MOST_STARS = 6;

/**
 * Whether a pattern takes protected files, or a folder that holds some: `~/.agen*`. What find looks for lies anywhere below the folder in
 * which it looks, and its stars take slashes.
 */
export function takesProtected(place: string, isFound: boolean): boolean {
  if (!/^[~/]/.test(place) || !(isFound || /[*?]/.test(place))) return false;
  const [, folder = "", name = ""] = /^(.*)\/([^/]*)$/.exec(place) ?? [];
  if (!/[a-z]{3}/i.test(isFound ? name : place)) return false;
  if (place.split("*").length > MOST_STARS + 1) return true;
  const [folders, names] = [folder, name].map((part) => sourceOf(part, isFound ? ".*" : "[^/]*"));
  const pattern = new RegExp(`^${folders}/${isFound ? "(?:.*/)?" : ""}${names}$`, "i");
  return EXAMPLES.some((one) => [one, ...foldersOf(one)].some((taken) => pattern.test(taken)));
}

/** A shell's star doesn't match a leading dot. */
function sourceOf(part: string, star: string): string {
  return part
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/(^|\/)\*+/g, star === ".*" ? "$1.*" : "$1(?!\\.)[^/]*")
    .replace(/(?<![.\]])\*+/g, star)
    .replace(/\?(?!!)/g, "[^/]");
}

/** `~/.claude/plugins` and `~/.claude`, but not the home itself. */
function foldersOf(file: string): string[] {
  const parts = file.split("/");
  return parts.slice(2).map((_, at) => parts.slice(0, at + 2).join("/"));
}

function plain(place: string): string {
  return place
    .replaceAll("\\", "/")
    .replace(/\/{2,}|\/\.\//g, "/")
    .replace(/(?<=.)\/+$/, "");
}
