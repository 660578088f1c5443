import path from "node:path";
import { findSource } from "../../authoring/find-source.ts";
import { MANIFEST_FILE, parseManifest } from "../../card/manifest.ts";
import type { Server } from "../../card/server.ts";
import type { SourceChange } from "../../card/source/change.ts";
import { type SourceFields, setFields } from "../../card/source/fields.ts";
import { addHook, removeHook } from "../../card/source/hooks.ts";
import { addServer, removeServer } from "../../card/source/servers.ts";
import { addSkill, removeSkill } from "../../card/source/skills.ts";
import { readManifestFile } from "../../card/source/source.ts";
import type { HookTemplate } from "../../card/source/template.ts";
import type { Host } from "../../kernel/host.ts";

/** What was, or would be, changed in a card source. */
export interface SourceEdit {
  card: string;
  dryRun: boolean;
  changes: SourceChange[];
}

export type SourceEditRequest = { dryRun: boolean } & (
  | { add: "hook"; name: string; template: HookTemplate }
  | { add: "skill"; name: string }
  | { add: "server"; name: string; server: Server }
  | { remove: "hook" | "skill" | "server"; name: string; keepFiles: boolean }
  | { set: SourceFields }
);

/** Edits the card source of this name or folder. Files of the author are never overwritten. */
export function editSource(host: Host, source: string, request: SourceEditRequest): SourceEdit {
  const dir = findSource(host, source);
  const changes = applyEdit(dir, request);
  return { card: readName(dir), dryRun: request.dryRun, changes };
}

function applyEdit(dir: string, request: SourceEditRequest): SourceChange[] {
  const { dryRun } = request;
  if ("set" in request) return setFields(dir, request.set, { dryRun });
  const { name } = request;
  if ("add" in request) {
    if (request.add === "server") return addServer(dir, { name, server: request.server, dryRun });
    return request.add === "hook"
      ? addHook(dir, name, { dryRun, template: request.template })
      : addSkill(dir, name, { dryRun });
  }
  const { remove, keepFiles } = request;
  if (remove === "server") return removeServer(dir, name, { dryRun });
  return remove === "hook"
    ? removeHook(dir, name, { dryRun, keepFiles })
    : removeSkill(dir, name, { dryRun, keepFiles });
}

function readName(dir: string): string {
  return parseManifest(readManifestFile(dir), { file: path.join(dir, MANIFEST_FILE) }).name;
}

export { HOOK_TEMPLATES } from "../../card/source/template.ts";
