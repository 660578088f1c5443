import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";
import { packageFile } from "../../kernel/package-file.ts";
import { shellQuote } from "../../kernel/text.ts";
import { CLAUDE_CALLS } from "../../wiring/canary-call.ts";
import type { CheckRequest, Target } from "../../wiring/target.ts";
import { MODULE_FILES, moduleFile, planModule } from "./module.ts";

/** Mastra is a library in somebody's app: it has no settings, and the app imports what guards it. */
export const mastraTarget: Target = {
  runtime: "mastra",
  isOfProjects: true,
  signs: ({ root }) => ({
    programs: [],
    folders: [isRequired(root) ? root : path.join(root, "node_modules/@mastra/core")],
  }),
  planHooks: ({ host, root, isGuarded = false }) => ({
    file: moduleFile(root),
    changes: planModule({ root, home: host.drwnHome, isWanted: isGuarded }),
    origins: new Map(),
  }),
  projectFiles: MODULE_FILES,
  skillsFolder: () => null,
  planServers: () => null,
  check: checkPackage,
  calls: CLAUDE_CALLS,
};

const CORE = "@mastra/core";

/** Whether the project's package.json asks for it. */
function isRequired(root: string): boolean {
  try {
    const manifest: unknown = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    if (typeof manifest !== "object" || manifest === null) return false;
    return ["dependencies", "devDependencies", "peerDependencies"].some((field) => {
      const names: unknown = Reflect.get(manifest, field);
      return typeof names === "object" && names !== null && Object.hasOwn(names, CORE);
    });
  } catch {
    // There is none, or it is broken, which others report.
    return false;
  }
}

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
