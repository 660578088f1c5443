import { oneOfAnyCase } from "../pattern/one-of.ts";
import { bracesIn } from "../shell/parse/braces.ts";

/** Where a path leads, as seen from a project's folder. */
export type PlaceKind =
  | "root"
  | "system"
  | "home"
  | "project"
  | "above"
  | "inside"
  | "temporary"
  | "device"
  | "outside"
  | "unknown";

/** The home of the call that is being read. It is one for all that reads the call, so it isn't an argument of everything. */
let home: string | undefined;

/** What the last call said of it. */
let told: string | undefined;

/** Notes the home of the person whose agent makes a call. What is above all people's files isn't one. */
export function setHome(said: string | undefined): void {
  if (said === told) return;
  told = said;
  places.clear();
  const plain = said === undefined ? "" : normalize(said);
  home = plain.startsWith("/") && plain !== "/" && !isSystemTop(plain) ? plain : undefined;
}

/** The home that `resolvePlace` replaces by `~`, beside `/home/NAME`, `/Users/NAME` and `/root`. */
export function knownHome(): string | undefined {
  return home;
}

const WINDOWS_HOME = () => /^(?:[a-z]:|\/(?:mnt\/|cygdrive\/)?[a-z])\/users\/[^/]+(?=\/|$)/iu;

/**
 * Resolves a path against a folder: the result is absolute or begins with `~`, and has no `.`, `..`, `//` or final
 * slash. `$HOME`, the home of the call, `/home/me`, `/root` and `~me` become `~`. Parts that are only known at run time stay as they are written.
 */
export function resolvePlace(written: string, folder: string): string {
  const id = `${folder}\0${written}`;
  const place = places.get(id) ?? resolved(written, folder);
  if (places.size < MOST_PLACES && id.length < LONGEST_ID) places.set(id, place);
  return place;
}

/** What the call's paths lead to: all policies ask, and a script names the same places again and again. */
const places = new Map<string, string>();
const MOST_PLACES = 5_000;
const LONGEST_ID = 500;

function resolved(written: string, folder: string): string {
  const slashed = /[$%`:\\]/.test(written) ? expanded(written, folder) : written;
  const isWhole = /^(?:[/~$`]|[a-zA-Z]:(?:\/|$))/.test(slashed);
  return homely(normalize(isWhole ? slashed : `${folder}/${slashed}`));
}

/** Replaces expressions for known folders, and the backslashes of Windows paths. */
function expanded(written: string, folder: string): string {
  const known = written
    .replace(/^file:\/\//u, "")
    .replace(/\$\{(\w+):[?-][^}]*\}/gu, "$$$1")
    .replace(/^\\\\\?\\/u, "")
    .replace(/^\$PROFILE$/iu, "~/.config/powershell/profile.ps1")
    .replace(/^(?:\$HOME|\$\{HOME\}|\$env:(?:USERPROFILE|HOME)|%USERPROFILE%)(?=[\\/]|$)/iu, "~")
    .replace(/^(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`|\$\(git rev-parse --show-toplevel\))(?=\/|$)/u, folder);
  return /^[a-z]:[\\/]|^~\\|^\.{1,2}\\/iu.test(known) ? known.replaceAll("\\", "/") : known;
}

function normalize(path: string): string {
  const isAbsolute = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    const last = parts.at(-1);
    if (part !== "..") parts.push(part);
    else if (last === "~" && parts.length === 1 && !isAbsolute) parts.splice(-1, 1, "", "home");
    else if (last !== undefined && last !== ".." && last !== "") parts.pop();
    else if (!isAbsolute && last !== "") parts.push("..");
  }
  return parts[0] === "" ? parts.join("/") || "/" : `${isAbsolute ? "/" : ""}${parts.join("/")}` || ".";
}

/**
 * Compares segments, since it runs for every path of a call and V8 would take longer to compile an expression for all
 * systems.
 */
function homely(path: string): string {
  if (path.startsWith("~")) return path.replace(/^~[a-z_][\w.-]*(?=\/|$)/iu, "~");
  if (home !== undefined && (path === home || path.startsWith(`${home}/`))) return `~${path.slice(home.length)}`;
  // Fedora's and FreeBSD's `/home` lead there.
  const [first, top = "", name = "", ...rest] = (
    path.includes("/home/", 1) ? path.replace(/^\/(?:var|usr|export)(?=\/home\/[^/])/u, "") : path
  ).split("/");
  const folders = top.toLowerCase();
  if (first === "" && folders === "root") return ["~", ...path.split("/").slice(2)].join("/");
  if (first === "" && (folders === "home" || folders === "users") && /^[^*?]+$/.test(name))
    return ["~", ...rest].join("/");
  return path.toLowerCase().includes("/users/") ? path.replace(WINDOWS_HOME(), "~") : path;
}

/**
 * What a word may become: each alternative of its braces. For `${x:-y}`: `y`, or what the variable holds, written `${x:-}`.
 */
export function wordsMeant(word: string): string[] {
  return textsMeant(word, 0).flatMap(bracesIn);
}

const MOST_DEFAULTS = 4;

function textsMeant(word: string, depth: number): string[] {
  const found = word.includes("${") ? /\$\{(\w+)(:?[-=+])/u.exec(word) : null;
  if (found === null || depth > MOST_DEFAULTS) return [word];
  const [start, name = "", operator = ""] = found;
  const from = found.index + start.length;
  let end = from;
  for (let open = 1; end < word.length && open > 0; end++) {
    if (word.startsWith("${", end)) open++;
    else if (word[end] === "}") open--;
  }
  const [before, other, after] = [
    word.slice(0, found.index),
    word.slice(from, end - 1).replaceAll('"', ""),
    word.slice(end),
  ];
  if (other === "" && /[-=]$/u.test(operator)) return [word];
  const own = operator.endsWith("+") ? [] : textsMeant(after, depth + 1).map((rest) => `${before}\${${name}:-}${rest}`);
  return [...own, ...textsMeant(`${before}${other}${after}`, depth + 1)];
}

/** A pattern for everything in a folder: `*`, `.*`, `{*,.*}`, `.[!.]*`, `***`. */
const ALL = () => /^(?:\.?\*+(?:\.\*)?|\.\[[^\]]+\]\*|\.\?\?\*|\?\*)$/u;
const SYSTEM_TOPS = oneOfAnyCase(
  "bin boot dev etc home lib lib32 lib64 media mnt opt proc root run sbin srv sys usr var users library system applications volumes private windows nix snap",
);

function isSystemTop(place: string): boolean {
  return place.startsWith("/") && SYSTEM_TOPS(place.slice(1));
}

/** Deeper folders that belong to the operating system. */
const SYSTEM_DEEP = () =>
  /^\/(?:(?:bin|boot|lib\d*|sbin|sys|proc|system)\/.+|usr\/(?:bin|sbin|lib\d*|libexec|share|include|local)|usr\/(?:bin|sbin|libexec)\/.+|usr\/local\/(?:bin|lib|sbin|share|etc)|usr\/lib\/[^/]+|etc\/.+|var\/(?:lib|log|spool|mail|db|www|run|backups?)|var\/lib\/(?!apt\/lists)[^/]+|library\/[^/]+|private\/(?:etc|var)(?:\/[^/]+)?)$/iu;
const WINDOWS = () =>
  /^(?:[a-z]:|\/(?:mnt\/|cygdrive\/)?[a-z](?=\/))(?:\/(?:windows|program files(?: \(x86\))?|programdata|users)(?:\/.*)?)?$/iu;
const HOME_PART = () =>
  /^~\/(?:\.?(?:ssh|gnupg|aws|kube|config|local|mozilla|thunderbird|password-store)|documents|desktop|downloads|pictures|music|movies|videos|library|onedrive|dropbox|projects?|code|src|work|workspace|repos|repositories|git|dev|developer|\.local\/share|library\/[^/]+)$/iu;
const TEMPORARY = () =>
  /^(?:\/tmp|\/var\/tmp|\/private\/tmp|\/private\/var\/folders|\/var\/folders|\/dev\/shm|\/run\/user\/\d+|\$\{?(?:TMP|TEMP|TMPDIR|RUNNER_TEMP)\}?|\$\(mktemp\b[^)]*\))(?:\/|$)/u;
const DEVICE = () =>
  /^\/dev\/(?:[hsv]d[a-z*?]|xvd|nvme|mmcblk|r?disk|md\d|dm-|mapper|[\w-]*vg|loop|nbd|zd\d|zvol|ram\d|k?mem$|port$|sr\d|sg\d|st\d|dasd|block|rpool|root$|fb\d|cdrom|\$|\*)/u;

/** The folder that is meant if a place ends in a pattern for everything in a folder; otherwise the place itself. */
export function folderMeant(place: string): string {
  let meant = place;
  for (let last = lastOf(meant); ALL().test(last); last = lastOf(meant)) {
    meant = meant.slice(0, -last.length).replace(/(?<=.)\/$/u, "");
    if (meant === "") return ".";
  }
  return meant;
}

function lastOf(place: string): string {
  return place.split("/").at(-1) ?? "";
}

/**
 * What would be destroyed if all of a place were removed or overwritten. The place is as `resolvePlace` gives it,
 * `project` the project's folder.
 */
export function kindOfPlace(place: string, project: string): PlaceKind {
  const meant = folderMeant(place);
  if (meant === "/" || /^[a-z]:$/iu.test(meant) || (meant === "." && project !== ".")) return "root";
  if (DEVICE().test(meant)) return "device";
  if (meant === project || meant === ".") return "project";
  if (TEMPORARY().test(meant) && meant.replace(TEMPORARY(), "") !== "")
    return liesBelow(meant, project) ? "inside" : "temporary";
  if (liesBelow(project, meant)) return meant === "~" ? "home" : isSystemTop(meant) ? "system" : "above";
  if (meant === "~" || /^~[\w.-]*$/u.test(meant) || HOME_PART().test(meant)) return "home";
  if (liesBelow(meant, project)) return "inside";
  if (TEMPORARY().test(`${meant}/`)) return "temporary";
  if (isSystemTop(meant) || SYSTEM_DEEP().test(meant) || WINDOWS().test(meant)) return "system";
  if (/^\.\.(?:\/|$)/u.test(meant)) return /^(?:\.\.\/?)+$/u.test(meant) ? "above" : "outside";
  if (home?.startsWith(`${meant}/`) === true) return "home";
  return /^[$`%]/u.test(meant) ? "unknown" : "outside";
}

export function liesBelow(place: string, folder: string): boolean {
  if (folder === ".") return !/^(?:[/~$`%]|\.\.(?:\/|$)|[a-z]:)/iu.test(place);
  return place.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
