import { posix } from "node:path";
import { BrokenEvent } from "../../runtime/read-input.ts";
import type { EventView } from "../adapter.ts";

// Codex takes white space before a header; whatever could be one counts as one, so that no file of a patch goes unseen.
const HEADER = /^\s*\*\*\* (Add File|Update File|Delete File|Move to): ?(.*?)\s*$/u;

interface Touched {
  header: string;
  path: string;
  lines: string[];
}

/**
 * A patch of Codex as the calls of Write and Edit that would do the same, one for each file that it touches; both ends of a
 * rename are files of their own. Paths are absolute, from `/` where the agent names no folder. None: the text is no patch.
 */
export function viewsOfPatch(patch: string, cwd: unknown): EventView[] {
  const folder = typeof cwd === "string" ? cwd : "/";
  const views: EventView[] = [];
  for (const { header, path, lines } of filesOf(patch)) {
    const file_path = posix.resolve(folder, path);
    const added = lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1));
    const removed = lines.filter((line) => line.startsWith("-")).map((line) => line.slice(1));
    const isWhole = header === "Add File" || header === "Move to";
    views.push(
      isWhole
        ? { toolName: "Write", aliases: ["Edit"], input: { file_path, content: added.join("\n") } }
        : {
            toolName: "Edit",
            aliases: ["Write"],
            input: { file_path, old_string: removed.join("\n"), new_string: added.join("\n") },
          },
    );
  }
  return views;
}

/** The same of a tool that takes nothing else; throws a `BrokenEvent` when the patch names no file. */
export function requireFiles(patch: unknown, cwd: unknown): EventView[] {
  const views = typeof patch === "string" ? viewsOfPatch(patch, cwd) : [];
  if (views.length === 0) throw new BrokenEvent("has a patch that names no file");
  return views;
}

function filesOf(patch: string): Touched[] {
  const files: Touched[] = [];
  for (const line of patch.split(/\r\n|[\n\r\u2028\u2029]/u)) {
    const [, header, path] = HEADER.exec(line) ?? [];
    const last = files.at(-1);
    if (header === undefined || path === undefined) last?.lines.push(line);
    // What follows a new name belongs to both.
    else files.push({ header, path, lines: header === "Move to" && last !== undefined ? last.lines : [] });
  }
  return files;
}
