import fs from "node:fs";
import path from "node:path";
import { appendItem, removeIfEmpty, removeValue } from "../../format/set-value.ts";
import { Problem } from "../../kernel/problem.ts";
import { handlerFileOf } from "../compiler/handler-module.ts";
import { hooksOf, type Manifest } from "../manifest.ts";
import { parseHookName } from "../name.ts";
import {
  type ChangeOptions,
  carryOut,
  type PlannedChange,
  planFolderRemoval,
  planManifestEdit,
  type SourceChange,
} from "./change.ts";
import { readManifest, refuseLinksOnTheWay } from "./source.ts";
import { type HookTemplate, placeTemplate, readTemplate } from "./template.ts";

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
