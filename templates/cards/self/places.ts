/** What only people change: drwn's records, drwn itself, and the files in which agents keep their hooks, mods and plugins. */
const PLACES: readonly RegExp[] = [
  /(?:^|\/)\.agents\/drwn(?:\/|$)/i,
  /(?:^|\/)(?:etc\/drwn|Application Support\/drwn)(?:\/|$)/i,
  /(?:^|\/)node_modules\/darwinian-minds(?:\/|$)/i,
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
];
/** Folders that hold such files: whoever removes or moves one gets at the files without naming them. */
const HOLDERS = /(?:^|\/)\.(?:agents|claude|codex|gemini|cursor|copilot|opencode)(?:\/\*)?$/i;

export function isProtected(place: string): boolean {
  return PLACES.some((one) => one.test(plain(place)));
}

export function isHolder(place: string): boolean {
  return HOLDERS.test(plain(place));
}

function plain(place: string): string {
  return place
    .replaceAll("\\", "/")
    .replace(/\/{2,}|\/\.\//g, "/")
    .replace(/(?<=.)\/+$/, "");
}
