import { once } from "darwinian-minds/hook-policy/helpers";

/** Only people change these: drwn's records, drwn itself, and the files in which agents keep their hooks, mods and plugins. */
const PLACES = once((): readonly RegExp[] => [
  /(?:^|\/)\.agents\/drwn(?:\/|$)/i,
  /(?:^|\/)(?:etc\/drwn|Application Support\/drwn|\.config\/drwn|\.drwn)(?:\/|$)/i,
  /(?:^|\/)(?:node_modules|\$\(npm root[^)]*\)|`npm root[^`]*`)\/darwinian-minds(?:\/|$)/i,
  /(?:^|\/)\.?bin\/(?:drwn|darwinian-minds)$/i,
  /(?:^|\/)\.claude\/(?:settings(?:\.local)?\.json|plugins(?:\/|$)|mods(?:\/|$)|hooks(?:\/|$))/i,
  /(?:^|\/)(?:\.claude\.json|\.mcp\.json)$/i,
  /(?:^|\/)managed-settings\.json$/i,
  /(?:^|\/)\.codex\/(?:hooks\.json|config\.toml|hooks(?:\/|$)|plugins(?:\/|$))/i,
  /(?:^|\/)(?:etc\/codex|requirements\.toml$)/i,
  /(?:^|\/)\.(?:gemini|cursor|copilot)\/(?:settings|hooks|config|mcp-config)\.json$/i,
  /(?:^|\/)\.gemini\/(?:extensions|hooks)(?:\/|$)/i,
  /(?:^|\/)\.(?:copilot|github)\/hooks(?:\/|$)/i,
  /(?:^|\/)\.github\/copilot\/settings(?:\.local)?\.json$/i,
  /(?:^|\/)\.?opencode\/plugins?(?:\/|$)/i,
  /(?:^|\/)\.?opencode\/opencode\.jsonc?$/i,
]);
/** Folders that hold such files: removing or moving one affects the files without naming them. */
const HOLDERS = /(?:^|\/)\.(?:agents|claude|codex|gemini|cursor|copilot|opencode)(?:\/\*)?$/i;

export function isProtected(place: string): boolean {
  return PLACES().some((one) => one.test(plain(place)));
}

export function isHolder(place: string): boolean {
  return HOLDERS.test(plain(place));
}

/** One of each kind, in a home. */
const EXAMPLES = [
  "~/.agents/drwn/ledger/drwn.json",
  "~/.claude/settings.json",
  "~/.claude/plugins/installed_plugins.json",
  "~/.codex/hooks.json",
  "~/.codex/config.toml",
  "~/.gemini/settings.json",
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
