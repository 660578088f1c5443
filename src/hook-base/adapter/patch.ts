import { posix } from "node:path";
import { BrokenEvent } from "../read-input.ts";
import type { EventView } from "./adapter.ts";

const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): ?(.*)$/su;

// Codex's white space: it includes next line (U+0085), which JavaScript's doesn't, and lacks JavaScript's byte order
// mark.
const BLANKS =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
const MARK = "\ufeff";

interface Touched {
  header: string;
  path: string;
  lines: string[];
}

/**
 * Turns a patch of Codex into calls of Write and Edit that would do the same, one for each file that it touches; the
 * two ends of a rename are two files. Paths are absolute, from `/` if the agent names no folder. If several files could
 * be meant, there is a call for each. Empty: the text isn't a patch. Throws a `BrokenEvent` for too many files.
 */
function viewsOfPatch(patch: string, cwd: unknown): EventView[] {
  const folder = typeof cwd === "string" ? cwd : "/";
  const changes = new Map<readonly string[], Changed>();
  return filesOf(patch).flatMap(({ header, path, lines }) => {
    // Both ends of a rename have the same lines.
    const changed = changes.get(lines) ?? changedIn(lines);
    changes.set(lines, changed);
    // OpenCode drops white space before a name.
    const names = new Set([path, trim(path, BLANKS + MARK)]);
    return [...names].map((name) => viewOf(header, posix.resolve(folder, name), changed));
  });
}

interface Changed {
  added: string;
  removed: string;
}

function changedIn(lines: readonly string[]): Changed {
  const linesBehind = (sign: string): string =>
    lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])).join("\n");
  return { added: linesBehind("+"), removed: linesBehind("-") };
}

function viewOf(header: string, file_path: string, { added, removed }: Changed): EventView {
  if (header === "Add File" || header === "Move to")
    return { toolName: "Write", aliases: ["Edit"], input: { file_path, content: added } };
  const input = { file_path, old_string: removed, new_string: added };
  return { toolName: "Edit", aliases: ["Write"], input };
}

const BEGIN = "*** Begin Patch";
const CHANGED_FOLDER = /(?:^|[\s;&|({`])(?:cd|pushd)\s+(?:--\s+)?("[^"]*"|'[^']*'|[^\s;&|)]+)/gu;

/**
 * The most files in patches, and the most folders that a shell changes to before: more would take longer than the agent
 * waits.
 */
const MOST = 1_000;
/** The limit of operating systems. */
const LONGEST_PATH = 4_096;

/** The same for patches in a shell command, which may change the folder first. Throws a `BrokenEvent`. */
export function viewsOfCommand(command: string, cwd: unknown): EventView[] {
  const [before = "", ...patches] = command.split(BEGIN);
  const first = typeof cwd === "string" ? cwd : "/";
  const views: EventView[] = [];
  let folder = first;
  let typed = before;
  let changes = 0;
  for (const patch of patches) {
    for (const [, to = ""] of typed.matchAll(CHANGED_FOLDER)) {
      if (++changes > MOST || to.length > LONGEST_PATH || folder.length > LONGEST_PATH)
        throw new BrokenEvent("goes to too many folders before its patch");
      folder = posix.resolve(folder, to.replaceAll(/["']/gu, ""));
    }
    typed = patch;
    for (const place of new Set([first, folder])) for (const view of viewsOfPatch(patch, place)) views.push(view);
    if (views.length > MOST) throw ofManyFiles();
  }
  return views;
}

function ofManyFiles(): BrokenEvent {
  return new BrokenEvent(`has a patch of more than ${MOST} files`);
}

/** The same for a tool that takes only a patch. Throws a `BrokenEvent` if the patch names no file, or too many. */
export function requireFiles(patch: unknown, cwd: unknown): EventView[] {
  const views = typeof patch === "string" ? viewsOfPatch(patch, cwd) : [];
  if (views.length === 0) throw new BrokenEvent("has a patch that names no file");
  return views;
}

/** Everything that could be a header counts as one, so that no file of a patch is missed. */
function filesOf(patch: string): Touched[] {
  const files = filesIn(patch.split("\n"));
  // No agent is known to end lines in these other ways.
  const others = patch.split(/\r\n|[\n\r\u2028\u2029]/u);
  return others.length === patch.split("\n").length ? files : [...files, ...filesIn(others)];
}

function filesIn(lines: readonly string[]): Touched[] {
  const files: Touched[] = [];
  for (const line of lines) {
    const [, header, path] = HEADER.exec(trim(line, BLANKS + MARK, BLANKS)) ?? [];
    const last = files.at(-1);
    if (header === undefined || path === undefined) last?.lines.push(line.endsWith("\r") ? line.slice(0, -1) : line);
    // The lines after a new name belong to both names.
    else files.push({ header, path, lines: header === "Move to" && last !== undefined ? last.lines : [] });
    if (files.length > MOST) throw ofManyFiles();
  }
  return files;
}

/** Scans once from each side. An expression would scan a long run of blanks again from each of its characters. */
function trim(text: string, before: string, behind = before): string {
  let start = 0;
  let end = text.length;
  while (start < end && before.includes(text.charAt(start))) start++;
  while (end > start && behind.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
