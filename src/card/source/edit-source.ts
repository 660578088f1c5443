import fs from "node:fs";
import path from "node:path";
import { lstatIfThere, packageFile, writeAtomic } from "../../kernel/files.ts";
import { appendItem, removeIfEmpty, removeValue, setValue } from "../../kernel/format/edit-json.ts";
import type { JsonPath } from "../../kernel/format/json.ts";
import { Problem } from "../../kernel/problem.ts";
import { walkTree } from "../archive/tree.ts";
import { handlerFileOf } from "../compiler/handler-module.ts";
import { hooksOf, MANIFEST_FILE, type Manifest, parseManifest, skillsOf } from "../manifest.ts";
import { parseHookName, parseServerName, parseSkillName } from "../name.ts";
import type { Server } from "../server.ts";
import { SKILL_FILE } from "../skill/skill.ts";
import { readManifest, readManifestFile, refuseLinksOnTheWay } from "./source.ts";

type Settable<T> = Exclude<T, undefined> | null;

/** What `setFields` sets; null removes the field, and an absent field stays as it is. */
export interface SourceFields {
  version?: string;
  description?: Settable<Manifest["description"]>;
  license?: Settable<Manifest["license"]>;
  keywords?: Settable<Manifest["keywords"]>;
  repository?: Settable<Manifest["repository"]>;
  author?: Settable<Manifest["author"]>;
  stability?: Settable<Manifest["stability"]>;
  minVersion?: string | null;
  restrictOnly?: boolean | null;
  /** By hook name. */
  capabilities?: Record<string, readonly string[] | null>;
}

/** Sets fields of the manifest. Refuses an invalid value before it writes anything. */
export function setFields(dir: string, fields: SourceFields, options: ChangeOptions = {}): SourceChange[] {
  const edits = listEdits(fields);
  return carryOut(
    planManifestEdit(dir, (text) =>
      edits.reduce((edited, { path, value }) => {
        if (value !== null) return setValue(edited, path, value);
        return removeIfEmpty(removeValue(edited, path), path.slice(0, -1));
      }, text),
    ),
    options,
  );
}

interface FieldEdit {
  path: JsonPath;
  value: unknown;
}

function listEdits({ minVersion, restrictOnly, capabilities = {}, ...plain }: SourceFields): FieldEdit[] {
  const edits: FieldEdit[] = [
    ...Object.entries(plain).map(([name, value]) => ({ path: [name], value })),
    { path: ["harness", "minVersion"], value: minVersion },
    { path: ["hooks", "restrictOnly"], value: restrictOnly },
    ...Object.entries(capabilities).map(([hook, value]) => ({ path: ["hooks", "capabilities", hook], value })),
  ];
  return edits.filter(({ value }) => value !== undefined);
}

interface AddOptions extends ChangeOptions {
  template?: HookTemplate;
}

/**
 * Adds a hook to the source: an observer to start from, another template, or the files that `remove-hook --keep-files`
 * left, which it adopts unchanged. It never overwrites a file.
 */
export function addHook(dir: string, hook: string, { template = "hook", ...options }: AddOptions = {}): SourceChange[] {
  const name = parseHookName(hook);
  const manifest = readManifest(dir);
  if (hooksOf(manifest).includes(name)) {
    throw new Problem("DRWN_HOOK_EXISTS", `${manifest.name} has the hook \`${name}\` already`);
  }
  const edit = planManifestEdit(dir, (text) => appendItem(text, ["hooks", "include"], name));
  return carryOut([planHookFiles(dir, { hook: name, template, manifest }), ...edit], options);
}

interface RemoveOptions extends ChangeOptions {
  /** The files stay, and `addHook` can adopt them. */
  keepFiles?: boolean;
}

/** Removes a hook from the source: first from the manifest, so that the manifest never names missing files. */
export function removeHook(
  dir: string,
  hook: string,
  { keepFiles = false, ...options }: RemoveOptions = {},
): SourceChange[] {
  const name = parseHookName(hook);
  const manifest = readManifest(dir);
  const at = hooksOf(manifest).indexOf(name);
  if (at < 0) {
    throw new Problem("DRWN_HOOK_MISSING", `${manifest.name} has no hook \`${name}\``, {
      details: [`it has: ${hooksOf(manifest).join(", ") || "none"}`],
    });
  }
  const edit = planManifestEdit(dir, (text) => {
    const parts = ["capabilities", "options"];
    const listed = removeValue(text, ["hooks", "include", at]);
    const without = parts.reduce((edited, part) => removeValue(edited, ["hooks", part, name]), listed);
    const emptied = parts.reduce((edited, part) => removeIfEmpty(edited, ["hooks", part]), without);
    return removeIfEmpty(emptied, ["hooks", "include"]);
  });
  if (keepFiles) return carryOut(edit, options);
  refuseLinksOnTheWay(dir, "hooks");
  return carryOut([...edit, ...planFolderRemoval("remove-hook-files", path.join(dir, "hooks", name))], options);
}

interface NewHook {
  hook: string;
  template: HookTemplate;
  manifest: Manifest;
}

function planHookFiles(dir: string, { hook, template, manifest }: NewHook): PlannedChange {
  refuseLinksOnTheWay(dir, `hooks/${hook}/policy.ts`);
  const folder = path.join(dir, "hooks", hook);
  const own = [path.join(folder, "policy.ts"), path.join(dir, handlerFileOf(hook))];
  if (own.some((file) => fs.existsSync(file))) return { action: "adopt-hook", path: folder, carryOut: () => {} };
  const files = readTemplate(template, { HOOK: hook, CARD: manifest.name });
  return { action: "add-hook", path: folder, carryOut: () => placeTemplate(files, folder) };
}

interface NewServer extends ChangeOptions {
  name: string;
  server: Server;
}

/** Adds an MCP server to the manifest. */
export function addServer(dir: string, { name, server, ...options }: NewServer): SourceChange[] {
  const serverName = parseServerName(name);
  const manifest = readManifest(dir);
  if (hasServer(manifest, serverName)) {
    throw new Problem("DRWN_SERVER_EXISTS", `${manifest.name} has the MCP server \`${serverName}\` already`);
  }
  return carryOut(
    planManifestEdit(dir, (text) => setValue(text, ["servers", serverName], server)),
    options,
  );
}

export function removeServer(dir: string, name: string, options: ChangeOptions = {}): SourceChange[] {
  const serverName = parseServerName(name);
  const manifest = readManifest(dir);
  if (!hasServer(manifest, serverName)) {
    throw new Problem("DRWN_SERVER_MISSING", `${manifest.name} has no MCP server \`${serverName}\``, {
      details: [`it has: ${Object.keys(manifest.servers ?? {}).join(", ") || "none"}`],
    });
  }
  return carryOut(
    planManifestEdit(dir, (text) => removeIfEmpty(removeValue(text, ["servers", serverName]), ["servers"])),
    options,
  );
}

function hasServer({ servers = {} }: Manifest, name: string): boolean {
  return Object.hasOwn(servers, name);
}

/** Adds a skill: a SKILL.md to start from, or an existing folder, which it adopts unchanged. */
export function addSkill(dir: string, skill: string, options: ChangeOptions = {}): SourceChange[] {
  const name = parseSkillName(skill);
  const manifest = readManifest(dir);
  if (skillsOf(manifest).includes(name)) {
    throw new Problem("DRWN_SKILL_EXISTS", `${manifest.name} has the skill \`${name}\` already`);
  }
  const edit = planManifestEdit(dir, (text) => appendItem(text, ["skills", "include"], name));
  return carryOut([planSkillFiles(dir, name, manifest), ...edit], options);
}

interface RemoveSkillOptions extends ChangeOptions {
  keepFiles?: boolean;
}

export function removeSkill(
  dir: string,
  skill: string,
  { keepFiles = false, ...options }: RemoveSkillOptions = {},
): SourceChange[] {
  const name = parseSkillName(skill);
  const manifest = readManifest(dir);
  const at = skillsOf(manifest).indexOf(name);
  if (at < 0) {
    throw new Problem("DRWN_SKILL_MISSING", `${manifest.name} has no skill \`${name}\``, {
      details: [`it has: ${skillsOf(manifest).join(", ") || "none"}`],
    });
  }
  const edit = planManifestEdit(dir, (text) =>
    removeIfEmpty(removeValue(text, ["skills", "include", at]), ["skills", "include"]),
  );
  if (keepFiles) return carryOut(edit, options);
  refuseLinksOnTheWay(dir, "skills");
  return carryOut([...edit, ...planFolderRemoval("remove-skill-files", path.join(dir, "skills", name))], options);
}

function planSkillFiles(dir: string, skill: string, manifest: Manifest): PlannedChange {
  refuseLinksOnTheWay(dir, `skills/${skill}/${SKILL_FILE}`);
  const folder = path.join(dir, "skills", skill);
  if (fs.existsSync(path.join(folder, SKILL_FILE))) return { action: "adopt-skill", path: folder, carryOut: () => {} };
  const files = readTemplate("skill", { SKILL: skill, CARD: manifest.name });
  return { action: "add-skill", path: folder, carryOut: () => placeTemplate(files, folder) };
}

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

/** One change to a card source. */
export interface SourceChange {
  action: string;
  /** Absolute. */
  path: string;
}

/** A change, and the function that makes it. */
export interface PlannedChange extends SourceChange {
  carryOut: () => void;
}

export interface ChangeOptions {
  dryRun?: boolean;
}

/** Carries the changes out in order, unless it is a dry run; lists them in either case. */
export function carryOut(changes: readonly PlannedChange[], { dryRun = false }: ChangeOptions): SourceChange[] {
  if (!dryRun) for (const change of changes) change.carryOut();
  return changes.map(({ action, path: file }) => ({ action, path: file }));
}

/** Edits the manifest's text, which must be valid before and after. No change if the text stays the same. */
export function planManifestEdit(dir: string, edit: (text: string) => string): PlannedChange[] {
  const file = path.join(dir, MANIFEST_FILE);
  const bytes = readManifestFile(dir);
  parseManifest(bytes, { file });
  const text = bytes.toString("utf8");
  const edited = edit(text);
  parseManifest(edited, { file });
  if (edited === text) return [];
  return [{ action: "update-manifest", path: file, carryOut: () => writeAtomic(file, edited, 0o644) }];
}

export function planSourceFile(action: string, file: string, content: string | Uint8Array): PlannedChange {
  return { action, path: file, carryOut: () => writeAtomic(file, content, 0o644) };
}

/** Removes a folder of the source with everything in it. */
export function planFolderRemoval(action: string, folder: string): PlannedChange[] {
  if (fs.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return [{ action, path: folder, carryOut: () => fs.rmSync(folder, { recursive: true, force: true }) }];
}
