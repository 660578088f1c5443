import fs from "node:fs";
import path from "node:path";
import { lstatIfThere, writeAtomic } from "../../kernel/atomic.ts";
import { packageFile } from "../../kernel/package-file.ts";
import { walkTree } from "../archive/tree.ts";

/** A folder below `templates/`, from which a new card, hook or skill starts. */
type TemplateName = "card" | "skill" | HookTemplate;

/** What a new hook can start from: a stub, a short gate, or a guard that is ready for use. */
export const HOOK_TEMPLATES = ["hook", "gate", "self-protection"] as const;
export type HookTemplate = (typeof HOOK_TEMPLATES)[number];

interface TemplateFile {
  /** Relative to the folder that is made from the template. */
  path: string;
  content: string;
}

const MAXIMUM_FILES = 100;
/** Our own package keeps names in this form if npm or other tools would act on them. */
const DOT_PREFIX = /^dot-/u;

/** The files of a template, with each `__NAME__` replaced by its value, in names and in content. */
export function readTemplate(name: TemplateName, values: Readonly<Record<string, string>>): TemplateFile[] {
  return readFolder(packageFile(`templates/${name}`)).map((file) => ({
    path: fill(file.path.split("/").map(withDot).join("/"), values),
    content: fill(file.content, values),
  }));
}

/** Every file of a folder of drwn's own package, unchanged. */
export function readFolder(folder: string): TemplateFile[] {
  return walkTree(folder, { maximum: MAXIMUM_FILES })
    .filter(({ kind }) => kind === "file")
    .map((entry) => ({ path: entry.path, content: fs.readFileSync(path.join(folder, entry.path), "utf8") }));
}

/** Writes the files that don't exist yet. Never overwrites a user's file. */
export function placeTemplate(files: readonly TemplateFile[], folder: string): void {
  for (const file of files) {
    const place = path.join(folder, file.path);
    if (lstatIfThere(place) === undefined) writeAtomic(place, file.content, 0o644);
  }
}

function withDot(part: string): string {
  return part.replace(DOT_PREFIX, ".");
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/__([A-Z]+)__/gu, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  );
}
