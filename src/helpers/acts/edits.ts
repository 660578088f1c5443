import type { ToolPolicyEvent } from "../../policy/event.ts";
import { oneOf } from "../pattern/one-of.ts";
import { effects, projectOf, steps } from "./calls.ts";
import { callsIn } from "./code.ts";
import { codeOf } from "./interpreters.ts";
import { type PatchedFile, patchesIn, patchesOf } from "./patches.ts";
import { resolvePlace } from "./places.ts";
import { shellTextsOf } from "./texts.ts";

/** A change of a file by a tool that edits: the text that it removes, and the text that it adds. */
export interface EditedFile {
  /** As `resolvePlace` gives it. */
  place: string;
  written: string;
  /** Empty if the call doesn't say. */
  before: string;
  after: string;
  /** The call writes the whole file, so its former content is unknown. */
  isNew: boolean;
}

/**
 * The changes that a call of Write, Edit, MultiEdit or a patch makes, and those of a shell's here-document or `echo`.
 */
export function inputOfEdit(event: ToolPolicyEvent): EditedFile[] {
  const { input } = event;
  if (typeof input !== "object" || input === null) return [];
  const field = (from: object, ...names: string[]) =>
    names.map((name): unknown => Reflect.get(from, name)).find((value) => typeof value === "string");
  const written = field(input, "file_path", "filePath", "absolute_path", "path", "notebook_path");
  if (typeof written !== "string") {
    const patched = patchedBy(event);
    const replaced = shellTextsOf(event).length === 0 ? [] : replacedByShell(event);
    // What a patch writes isn't written as a whole.
    return [
      ...writtenByShell(event).filter((one) => !patched.some(({ place }) => place === one.place)),
      ...replaced,
      ...patched,
    ];
  }
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

function patchedBy(event: ToolPolicyEvent): EditedFile[] {
  const project = projectOf(event);
  const toEdit = (folder: string) => (patched: PatchedFile) => ({
    place: resolvePlace(patched.file, folder),
    written: patched.file,
    before: patched.before,
    after: patched.after,
    isNew: patched.isNew,
  });
  if (shellTextsOf(event).length > 0) return steps(event).flatMap((step) => patchesOf(step).map(toEdit(step.folder)));
  const texts = Object.values(Object(event.input)).filter((value) => typeof value === "string");
  return texts.flatMap(patchesIn).map(toEdit(project));
}

export const SUBSTITUTION = () => /(?:^|[\s;{\d])s([/|#,!@])((?:(?!\1)[^\\\n]|\\.)*)\1((?:(?!\1)[^\\\n]|\\.)*)\1/gu;

/** Lines that sed takes out: `/expect/d`; nobody knows what those of `3,5d` are. */
const DELETION = () =>
  /(?:^|[;{\n])\s*(?:\/((?:[^/\\\n]|\\.)*)\/|\d+)(?:,(?:\d+|\$|\+\d+|\/(?:[^/\\\n]|\\.)*\/))?\s*d\b/gu;

/** What `sed -i 's/a/b/' file`, or `write(read().replace("a", "b"))` in code, replaces in a file, and by what. */
function replacedByShell(event: ToolPolicyEvent): EditedFile[] {
  return effects(event).flatMap(({ does, place, written, step }) => {
    if (does !== "writes" || step === undefined) return [];
    const code = codeOf(step);
    const isEditor = oneOf("sed gsed perl")(step.program);
    const pairs =
      code !== undefined && !isEditor
        ? callsIn(code).flatMap(({ name, literals }) =>
            /(?:^|\.)(?:replace(?:All|_all)?|re\.subn?|g?sub!?)$/u.test(name) && literals.length === 2
              ? [literals]
              : [],
          )
        : (isEditor ? step.arguments : []).flatMap((word) => [
            ...[...word.matchAll(SUBSTITUTION())].map(([, , from = "", to = ""]) => [from, to].map(unescaped)),
            ...[...word.matchAll(DELETION())].map(([, lines = ""]) => [unescaped(lines), ""]),
          ]);
    return pairs.map(([before = "", after = ""]) => ({ place, written, before, after, isNew: false }));
  });
}

/** A pattern as a text that it finds, without what it refers back to; of the numbers, a high one. */
function unescaped(pattern: string): string {
  return pattern.replace(/(?:\[0-9\]|\\d)[*+]?/gu, "99").replace(/(?<!\\)[\\$]\d|\\(?=[^\w\s])/gu, "");
}

function writtenByShell(event: ToolPolicyEvent): EditedFile[] {
  return effects(event).flatMap(({ does, place, written, content }) =>
    does === "writes" && content !== undefined ? [{ place, written, before: "", after: content, isNew: true }] : [],
  );
}
