import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { projectFiles } from "../../project/files.ts";
import type { Change } from "../../wiring/changes.ts";
import { planDrwnFile } from "../../wiring/drwn-file.ts";

const HEAD = "// Made by `drwn write` for this machine; what you change here is lost. Keep it out of version control.";

/** The project's module, which its app imports, and its types. */
export const MODULE_FILES = ["mastra.js", "mastra.d.ts"] as const;

export function moduleFile(root: string, name: (typeof MODULE_FILES)[number] = "mastra.js"): string {
  return path.join(projectFiles.folder(root), name);
}

interface ModuleRequest {
  root: string;
  home: string;
  isWanted: boolean;
}

/** What has to change for the project to have its module and the module's types, or to have neither. */
export function planModule({ root, home, isWanted }: ModuleRequest): Change[] {
  const texts = { "mastra.js": printModule(root, home), "mastra.d.ts": TYPES };
  return MODULE_FILES.flatMap((name) =>
    planDrwnFile({
      root,
      file: moduleFile(root, name),
      text: isWanted ? texts[name] : null,
      isOurs: (text) => text.startsWith(HEAD),
      what: "module for Mastra",
      mode: 0o644,
    }),
  );
}

/** The module names the project's folder instead of finding its own, because bundlers move it. */
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
