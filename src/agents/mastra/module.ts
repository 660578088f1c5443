import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { type Change, planFile, readTarget } from "../../materialize/changes.ts";
import { findInside, requireInside } from "../../materialize/targets/place.ts";
import { projectFiles } from "../../project/files.ts";

const HEAD = "// Made by `drwn write` for this machine; what you change here is lost. Keep it out of version control.";

/** The module of a project that its app imports, and its types. */
export const MODULE_FILES = ["mastra.js", "mastra.d.ts"] as const;

export function moduleFile(root: string, name: (typeof MODULE_FILES)[number] = "mastra.js"): string {
  return path.join(projectFiles.folder(root), name);
}

interface ModuleRequest {
  root: string;
  home: string;
  isWanted: boolean;
}

/** What has to change for the project to have its module, with its types, or to have none. Files of others are left alone. */
export function planModule({ root, home, isWanted }: ModuleRequest): Change[] {
  const texts = { "mastra.js": printModule(root, home), "mastra.d.ts": TYPES };
  return MODULE_FILES.flatMap((name) => {
    const file = moduleFile(root, name);
    const before = readTarget(file);
    const isOurs = before?.toString("utf8").startsWith(HEAD) ?? true;
    if (!isWanted && !isOurs) return [];
    if (!isOurs) {
      throw new Problem("DRWN_TARGET_OCCUPIED", `${clean(file)} was not made by drwn`, {
        hint: "move it away, then run the command again",
      });
    }
    const target = isWanted ? requireInside({ root, file }) : findInside({ root, file });
    if (target === undefined) return [];
    const after = isWanted ? Buffer.from(texts[name]) : null;
    const change = planFile({ path: target, after, what: "module for Mastra", mode: 0o644 });
    return change === undefined ? [] : [change];
  });
}

/** Bundlers move it, so that it names the project's folder instead of its own. */
function printModule(root: string, home: string): string {
  return `${HEAD}
import { guardProject } from "darwinian-minds/mastra";

export const { hooks, requireToolApproval, withHooks } = guardProject({
  hook: ${JSON.stringify(layout.launcher(home))},
  project: ${JSON.stringify(root)},
});
`;
}

const TYPES = `${HEAD}
import type { Guards } from "darwinian-minds/mastra";

export declare const hooks: Guards["hooks"];
export declare const requireToolApproval: Guards["requireToolApproval"];
export declare const withHooks: Guards["withHooks"];
`;
