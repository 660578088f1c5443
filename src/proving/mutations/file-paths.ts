import { spellingsIn } from "../../policy/tools.ts";

type Respell = (path: string, cwd: string | undefined) => string | undefined;

const SPELLINGS: readonly (readonly [how: string, respell: Respell])[] = [
  ["with ./", (path) => between(path, "/./")],
  ["with ..", (path) => between(path, "/other/../")],
  ["with two slashes", (path) => between(path, "//")],
  [
    "relative",
    (path, cwd) => (cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : undefined),
  ],
  ["absolute", (path, cwd) => (cwd === undefined || path.startsWith("/") ? undefined : `${cwd}/${path}`)],
  ["from the folder above", (path, cwd) => fromAbove(path, cwd)],
  ["with ~", (path, cwd) => fromHome(path, cwd)],
  ["in upper case", (path) => (process.platform === "darwin" ? path.toUpperCase() : undefined)],
];

/** Other spellings of the file that a call names. */
export function respellPath(
  input: Readonly<Record<string, unknown>>,
  cwd: string | undefined,
): { how: string; input: Record<string, unknown> }[] {
  const [field] = spellingsIn(input, "file_path");
  const path = field === undefined ? undefined : input[field];
  if (field === undefined || typeof path !== "string") return [];
  return SPELLINGS.flatMap(([how, respell]) => {
    const other = respell(path, cwd);
    return other === undefined || other === path ? [] : [{ how, input: { ...input, [field]: other } }];
  });
}

/** Inserts it before the last part of the path. */
function between(path: string, inserted: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? `.${inserted}${path}` : `${path.slice(0, at)}${inserted}${path.slice(at + 1)}`;
}

function fromAbove(path: string, cwd: string | undefined): string | undefined {
  const own = cwd?.split("/").at(-1) ?? "";
  if (cwd === undefined || own === "" || !path.startsWith(`${cwd}/`)) return undefined;
  return `../${own}/${path.slice(cwd.length + 1)}`;
}

/** Agents know the home of the user who started them; the call's folder shows where that is. */
function fromHome(path: string, cwd: string | undefined): string | undefined {
  const [home] = /^\/(?:home|Users)\/[^/]+(?=\/)/u.exec(path) ?? [];
  return home !== undefined && cwd?.startsWith(home) === true ? `~${path.slice(home.length)}` : undefined;
}
