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
import { judgeTools } from "../../wiring/tool-effects.ts";
import { mastra } from "./adapter.ts";

/** The project's module, which its app imports, and its types. */
const MODULE_FILES = ["mastra.js", "mastra.d.ts"] as const;

const AT_DESKTOP = ["click", "double_click", "drag", "move_mouse", "press_key", "right_click", "scroll", "type"];

const MASTRA_TOOLS = judgeTools(mastra.canonicalTools, {
  // At a desktop, where a program may be started: no guard can judge a click.
  "runs a command": ["execute_typescript", ...AT_DESKTOP.map((act) => `mastra_workspace_computer_${act}`)],
  reads: [
    ...["mastra_workspace_file_stat", "mastra_workspace_lsp_inspect", "mastra_workspace_search"],
    ...["load_skill", "search_skills", "skill", "skill_read", "skill_search"],
  ],
  writes: ["ast_edit", "delete", "index", "mkdir"].map((act) => `mastra_workspace_${act}`),
  "starts an agent": ["subagent"],
  "speaks with a person": ["add_reaction", "ask_user", "notification-inbox", "remove_reaction", "submit_plan"],
  nothing: [
    ...["mastra_workspace_get_process_output", "mastra_workspace_kill_process"],
    ...["get_screen_info", "screenshot", "wait"].map((act) => `mastra_workspace_computer_${act}`),
    ...["task_check", "task_complete", "task_update", "task_write", "load_tool", "search_tools"],
    ...["browser_record", "browser_record_caption", "setWorkingMemory", "update-working-memory", "updateWorkingMemory"],
  ],
});

/** Mastra is a library in somebody's app: it has no settings, and the app imports what guards it. */
export const mastraTarget: Target = {
  runtime: "mastra",
  tools: MASTRA_TOOLS,
  events: { beforeToolCall: "asks policies", afterToolCall: "asks policies and hooks of tool.after" },
  // The app's author decides what of it the app reads.
  variables: { title: "an app with a Mastra agent", file: /(?:^|\/)\.env(?:\.[^/]+)?$/u },
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
