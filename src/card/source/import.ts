import fs from "node:fs";
import path from "node:path";
import type { Capability } from "../../contract/plan.ts";
import { appendItem, setValue } from "../../kernel/format/edit-json.ts";
import { Problem } from "../../kernel/problem.ts";
import { readPlainFile } from "../archive/tree.ts";
import { CARD_LIMITS } from "../files.ts";
import { LEFT_OUT_FILE, type LeftOut, printLeftOut } from "../hooks/imported-file.ts";
import { hooksOf } from "../manifest.ts";
import { parseHookName } from "../name.ts";
import {
  type ChangeOptions,
  carryOut,
  type PlannedChange,
  planManifestEdit,
  planSourceFile,
  type SourceChange,
} from "./edit-source.ts";
import { readManifest, refuseLinksOnTheWay } from "./source.ts";

export interface NewHook {
  name: string;
  /** The text of policy.ts; absent if `files` has a handler.json. */
  policy?: string;
  /** More files of the hook's folder, by name. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  readme: string;
  capabilities: readonly Capability[];
}

interface ImportOptions extends ChangeOptions {
  /** What the import left out. */
  leftOut: LeftOut;
}

/** Adds hooks with their policies, all or none, and notes what the import left out. Overwrites no existing hook. */
export function importHooks(dir: string, hooks: readonly NewHook[], options: ImportOptions): SourceChange[] {
  const manifest = readManifest(dir);
  const taken = hooks.filter(({ name, ...hook }) => {
    parseHookName(name);
    const files = Object.keys(filesOf(hook)).map((file) => `hooks/${name}/${file}`);
    for (const file of files) refuseLinksOnTheWay(dir, file);
    return hooksOf(manifest).includes(name) || files.some((file) => fs.existsSync(path.join(dir, file)));
  });
  if (taken.length > 0) {
    throw new Problem("DRWN_HOOK_EXISTS", `${manifest.name} has hooks of these names already`, {
      details: taken.map(({ name }) => name),
    });
  }
  const edit = planManifestEdit(dir, (text) =>
    hooks.reduce((edited, { name, capabilities }) => {
      const listed = appendItem(edited, ["hooks", "include"], name);
      return capabilities.length === 0 ? listed : setValue(listed, ["hooks", "capabilities", name], [...capabilities]);
    }, text),
  );
  // The manifest comes last, so it never names a missing file.
  const files = hooks.flatMap(({ name, readme, ...hook }) => [
    ...Object.entries(filesOf(hook)).map(([file, text]) =>
      planSourceFile("add-hook", path.join(dir, "hooks", name, file), text),
    ),
    planSourceFile("add-hook-readme", path.join(dir, "hooks", name, "README.md"), readme),
  ]);
  return carryOut([...files, ...planLeftOut(dir, options.leftOut), ...edit], options);
}

function planLeftOut(dir: string, leftOut: LeftOut): PlannedChange[] {
  refuseLinksOnTheWay(dir, LEFT_OUT_FILE);
  const file = path.join(dir, LEFT_OUT_FILE);
  const bytes = readPlainFile(file, CARD_LIMITS.fileBytes);
  const text = printLeftOut(Buffer.isBuffer(bytes) ? bytes : undefined, leftOut);
  return text === undefined || text === bytes?.toString() ? [] : [planSourceFile("note-left-out", file, text)];
}

function filesOf({ policy, files = {} }: Pick<NewHook, "files" | "policy">): Record<string, string | Uint8Array> {
  return policy === undefined ? { ...files } : { "policy.ts": policy, ...files };
}
