import type { ToolPolicyEvent } from "../../policy/event.ts";
import { effects, projectOf } from "./calls.ts";
import { resolvePlace } from "./places.ts";

/** A change of a file by a tool that edits: what is taken out, and what is put in. */
export interface EditedFile {
  /** As `resolvePlace` gives it. */
  place: string;
  written: string;
  /** Empty where the call doesn't tell. */
  before: string;
  after: string;
  /** The whole file is written, so nobody knows what was there. */
  isNew: boolean;
}

/** The changes that a call of Write, Edit, MultiEdit or a patch makes, and what a shell's here-document or `echo` puts into a file. */
export function inputOfEdit(event: ToolPolicyEvent): EditedFile[] {
  const { input } = event;
  if (typeof input !== "object" || input === null) return [];
  const field = (from: object, ...names: string[]) =>
    names.map((name): unknown => Reflect.get(from, name)).find((value) => typeof value === "string");
  const written = field(input, "file_path", "filePath", "absolute_path", "path", "notebook_path");
  if (typeof written !== "string") return writtenByShell(event);
  const place = resolvePlace(written, projectOf(event));
  const parts: unknown = Reflect.get(input, "edits");
  const edits = (Array.isArray(parts) ? parts : [input]).filter(
    (one): one is object => typeof one === "object" && one !== null,
  );
  return edits.map((edit) => {
    const after = String(field(edit, "new_string", "newString", "new_str", "newText", "content", "file_text") ?? "");
    const before = field(edit, "old_string", "oldString", "old_str", "oldText");
    return { place, written, before: String(before ?? ""), after, isNew: before === undefined };
  });
}

function writtenByShell(event: ToolPolicyEvent): EditedFile[] {
  return effects(event).flatMap(({ does, place, written, content }) =>
    does === "writes" && content !== undefined ? [{ place, written, before: "", after: content, isNew: true }] : [],
  );
}
