import { createRequire } from "node:module";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { packageFile } from "../../kernel/files.ts";
import type { Finding } from "../../kernel/problem.ts";
import { shellQuote } from "../../kernel/text.ts";
import { projectFiles } from "../../project/identity.ts";
import { CLAUDE_CALLS } from "../../wiring/canary-call.ts";
import type { Change } from "../../wiring/changes.ts";
import { planDrwnFile } from "../../wiring/drwn-file.ts";
import type { CheckRequest, Target } from "../../wiring/target.ts";

/** The project's module, which its app imports, and its types. */
const MODULE_FILES = ["mastra.js", "mastra.d.ts"] as const;

/** Mastra is a library in somebody's app: it has no settings, and the app imports what guards it. */
export const mastraTarget: Target = {
  runtime: "mastra",
  isProjectOnly: true,
  planHooks: ({ host, root, isGuarded = false }) => ({
    file: moduleFile(root),
    changes: planModule({ root, home: host.drwnHome, isWanted: isGuarded }),
    originals: new Map(),
  }),
  projectFiles: MODULE_FILES,
  skillsFolder: () => null,
  planServers: () => null,
  check: checkPackage,
  calls: CLAUDE_CALLS,
};

/** The project's module imports drwn, so the app has to find it. */
function checkPackage({ file }: CheckRequest): Finding[] {
  try {
    createRequire(file).resolve("darwinian-minds/mastra");
    return [];
  } catch {
    return [
      {
        code: "mastra-package-missing",
        severity: "error",
        subject: file,
        message: "the app cannot find the package darwinian-minds, so an agent with these hooks doesn't start",
        hint: `npm install ${shellQuote(packageFile(""))}`,
      },
    ];
  }
}

const HEAD = "// Made by `drwn write` for this machine; what you change here is lost. Keep it out of version control.";

function moduleFile(root: string, name: (typeof MODULE_FILES)[number] = "mastra.js"): string {
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
