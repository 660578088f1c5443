import { createRequire } from "node:module";
import type { Finding } from "../../kernel/finding.ts";
import { packageFile } from "../../kernel/package-file.ts";
import { shellQuote } from "../../kernel/text.ts";
import { CLAUDE_CALLS } from "../../wiring/canary-call.ts";
import type { CheckRequest, Target } from "../../wiring/target.ts";
import { MODULE_FILES, moduleFile, planModule } from "./module.ts";

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
