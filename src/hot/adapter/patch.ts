import { posix } from "node:path";
import { BrokenEvent } from "../read-input.ts";
import type { EventView } from "./adapter.ts";

const HEADER = /^\*\*\* (Add File|Update File|Delete File|Move to): ?(.*)$/su;

// Codex's white space: it includes next line (U+0085), which JavaScript's doesn't, and lacks JavaScript's byte order mark.
const BLANKS =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";
const MARK = "\ufeff";

interface Touched {
  header: string;
  path: string;
  lines: string[];
}

/**
 * A patch of Codex as the calls of Write and Edit that would do the same, one for each file that it touches; both ends of a
 * rename are files of their own. Paths are absolute, from `/` where the agent names no folder. Where it is open which file is
 * meant, there is a call for each. None: the text is no patch. Throws a `BrokenEvent` for too many.
 */
function viewsOfPatch(patch: string, cwd: unknown): EventView[] {
  const folder = typeof cwd === "string" ? cwd : "/";
  const changes = new Map<readonly string[], Changed>();
  return filesOf(patch).flatMap(({ header, path, lines }) => {
    // Every new name has them.
    const changed = changes.get(lines) ?? changedIn(lines);
    changes.set(lines, changed);
    // OpenCode takes a name without the white space before it, too.
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

/** Of the files of patches, and of the folders that a shell goes to before: more would take longer than the agent waits. */
const MOST = 1_000;
/** As an operating system has it. */
const LONGEST_PATH = 4_096;

/** Patches that are typed into a shell, which may change the folder first. Throws a `BrokenEvent`. */
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

/** The same of a tool that takes nothing else; throws a `BrokenEvent` when the patch names no file, or too many. */
export function requireFiles(patch: unknown, cwd: unknown): EventView[] {
  const views = typeof patch === "string" ? viewsOfPatch(patch, cwd) : [];
  if (views.length === 0) throw new BrokenEvent("has a patch that names no file");
  return views;
}

/** Whatever could be a header counts as one, so that no file of a patch goes unseen. */
function filesOf(patch: string): Touched[] {
  const files = filesIn(patch.split("\n"));
  // No agent is known to end a line so.
  const others = patch.split(/\r\n|[\n\r\u2028\u2029]/u);
  return others.length === patch.split("\n").length ? files : [...files, ...filesIn(others)];
}

function filesIn(lines: readonly string[]): Touched[] {
  const files: Touched[] = [];
  for (const line of lines) {
    const [, header, path] = HEADER.exec(trim(line, BLANKS + MARK, BLANKS)) ?? [];
    const last = files.at(-1);
    if (header === undefined || path === undefined) last?.lines.push(line.endsWith("\r") ? line.slice(0, -1) : line);
    // What follows a new name belongs to both.
    else files.push({ header, path, lines: header === "Move to" && last !== undefined ? last.lines : [] });
    if (files.length > MOST) throw ofManyFiles();
  }
  return files;
}

/** In one go from each side: an expression would look at a long run of blanks again from every place in it. */
function trim(text: string, before: string, behind = before): string {
  let start = 0;
  let end = text.length;
  while (start < end && before.includes(text.charAt(start))) start++;
  while (end > start && behind.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
