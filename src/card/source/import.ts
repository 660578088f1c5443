import fs from "node:fs";
import path from "node:path";
import type { Capability } from "../../contract/plan.ts";
import { appendItem, setValue } from "../../format/set-value.ts";
import { Problem } from "../../kernel/problem.ts";
import { hooksOf } from "../manifest.ts";
import { parseHookName } from "../name.ts";
import { type ChangeOptions, carryOut, planManifestEdit, planSourceFile, type SourceChange } from "./change.ts";
import { readManifest, refuseLinksOnTheWay } from "./source.ts";

export interface NewHook {
  name: string;
  /** The text of policy.ts; absent where `files` hold a handler.json. */
  policy?: string;
  /** Further files of the hook's folder, by their name in it. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  readme: string;
  capabilities: readonly Capability[];
}

/** Adds hooks with their policies, all of them or none. Nothing that is there is written over. */
export function importHooks(dir: string, hooks: readonly NewHook[], options: ChangeOptions = {}): SourceChange[] {
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
  return carryOut([...files, ...edit], options);
}

function filesOf({ policy, files = {} }: Pick<NewHook, "files" | "policy">): Record<string, string | Uint8Array> {
  return policy === undefined ? { ...files } : { "policy.ts": policy, ...files };
}
