import fs from "node:fs";
import path from "node:path";
import type { Capability } from "../contract/plan.ts";
import { appendItem, setValue } from "../format/set-value.ts";
import { Problem } from "../kernel/problem.ts";
import { hooksOf } from "./manifest.ts";
import { parseHookName } from "./name.ts";
import { readManifest, refuseLinksOnTheWay } from "./source.ts";
import { type ChangeOptions, carryOut, planFile, planManifestEdit, type SourceChange } from "./source-change.ts";

export interface NewHook {
  name: string;
  policy: string;
  readme: string;
  capabilities: readonly Capability[];
}

/** Adds hooks with their policies, all of them or none. Nothing that is there is written over. */
export function importHooks(dir: string, hooks: readonly NewHook[], options: ChangeOptions = {}): SourceChange[] {
  const manifest = readManifest(dir);
  const taken = hooks.filter(({ name }) => {
    parseHookName(name);
    refuseLinksOnTheWay(dir, `hooks/${name}/policy.ts`);
    return hooksOf(manifest).includes(name) || fs.existsSync(path.join(dir, "hooks", name, "policy.ts"));
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
  // The manifest comes last: it never names what is not there.
  const files = hooks.flatMap(({ name, policy, readme }) => [
    planFile("add-hook", path.join(dir, "hooks", name, "policy.ts"), policy),
    planFile("add-hook-readme", path.join(dir, "hooks", name, "README.md"), readme),
  ]);
  return carryOut([...files, ...edit], options);
}
