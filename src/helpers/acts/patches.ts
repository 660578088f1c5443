import { oneOf } from "../pattern/one-of.ts";
import type { Step } from "./steps.ts";

/** What a patch does to one file. */
export interface PatchedFile {
  file: string;
  isNew: boolean;
  isDeleted: boolean;
  /** The lines that it removes, and those that it adds. */
  before: string;
  after: string;
}

const HEAD = () => /^\*\*\* (Add|Update|Delete) File: (.+)$/u;
const MOVED = () => /^\*\*\* Move to: (.+)$/u;
const OLD = () => /^--- (?:a\/)?(\S+)/u;
const NEW = () => /^\+\+\+ (?:b\/)?(\S+)/u;

/** Every file of a patch in the form of `apply_patch` or `diff -u`; empty if the text isn't a patch, as most aren't. */
export function patchesIn(text: string): PatchedFile[] {
  if (!/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ )/mu.test(text)) return [];
  const files: PatchedFile[] = [];
  let old = "";
  const begin = (file: string, verb: string) =>
    files.push({ file, isNew: verb === "Add", isDeleted: verb === "Delete", before: "", after: "" });
  for (const line of text.split("\n")) {
    const [, verb = "", file = ""] = HEAD().exec(line) ?? [];
    const [, was] = OLD().exec(line) ?? [];
    const [, is] = NEW().exec(line) ?? [];
    const last = files.at(-1);
    if (verb !== "") begin(file, verb);
    else if (was !== undefined) old = was;
    else if (is !== undefined)
      begin(is === "/dev/null" ? old : is, old === "/dev/null" ? "Add" : is === "/dev/null" ? "Delete" : "Update");
    else if (last === undefined) continue;
    else if (MOVED().test(line)) begin(MOVED().exec(line)?.[1] ?? "", "Update");
    else if (line.startsWith("+")) last.after += `${line.slice(1)}\n`;
    else if (line.startsWith("-")) last.before += `${line.slice(1)}\n`;
  }
  return files;
}

/** The patches that a shell command applies: `apply_patch <<EOF`, `git apply`, `patch`. */
export function patchesOf({ program, arguments: given, redirections, feeders }: Step): PatchedFile[] {
  const isPatch = oneOf("apply_patch applypatch patch")(program) || (program === "git" && given.includes("apply"));
  if (!isPatch || given.some((word) => oneOf("--check --stat --dry-run")(word))) return [];
  const bodies = [...redirections, ...feeders.slice(0, 1).flatMap((one) => one.redirections)];
  return [...given, ...bodies.map(({ body }) => body ?? "")].flatMap(patchesIn);
}
