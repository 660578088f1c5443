import { type Finding, isProblem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { type HookFormat, readHookGroups } from "../../../wiring/entries/groups.ts";
import { type EntryForm, planFiles, planUserFile, sharedEntries } from "../../../wiring/entries/plan-entries.ts";
import { openJsonFile } from "../../../wiring/json-file.ts";
import { committedCommand, isCommittedCommand } from "../../../wiring/launcher.ts";
import type { AgentContext, HooksRequest, PlannedHooks, Target } from "../../../wiring/target.ts";
import { judgeTools } from "../../../wiring/tool-effects.ts";
import { polytoken, polytokenLifecycle } from "../adapter.ts";
import { loadPolytokenHooks, readHooksFile } from "../read/load.ts";
import { globalHooksFile, polytokenProjectHooksFile } from "../read/paths.ts";

const EVENTS = polytokenLifecycle.names.map(([, name]) => name);
const FORMAT: HookFormat = { events: new Set(["pre_tool_use", ...EVENTS]), items: "entries", commands: ["bash"] };

const SHARED_NAME = "drwn-required";

export const polytokenTarget: Target = {
  runtime: "polytoken",
  tools: judgeTools(polytoken.canonicalTools),
  planHooks,
  committedEntry: ({ root }) => (hasSharedEntry(root) ? polytokenProjectHooksFile(root) : null),
  skillsFolder: () => null,
  planServers: () => null,
  check: checkPolytoken,
  calls: {
    events: ["pre_tool_use", "post_tool_use"],
    fields: ({ event, tool, input, session }) => ({
      event,
      tool_name: tool,
      matcher_subject: tool,
      input,
      session_id: session,
    }),
    rootVariable: "POLYTOKEN_PROJECT_DIR",
  },
};

/**
 * Writes the user's own file. A project's file is committed, and holds nothing of this machine; only the shared entry
 * goes there.
 */
function planHooks(request: HooksRequest): PlannedHooks {
  const user = planUserFile(request, { format: FORMAT, settingsFile: globalHooksFile(request.host), form: FORM });
  const settingsFile = polytokenProjectHooksFile(request.root);
  const entry = {
    event: "pre_tool_use",
    value: { name: SHARED_NAME, event: "pre_tool_use", handler: { bash: committedCommand("polytoken") } },
  };
  const isThere = hasSharedEntry(request.root);
  const committed = planFiles(settingsFile, sharedEntries(request, { format: FORMAT, settingsFile, entry, isThere }));
  return {
    file: user.file,
    changes: [...user.changes, ...committed.changes],
    originals: new Map([...user.originals, ...committed.originals]),
  };
}

function hasSharedEntry(root: string): boolean {
  const file = openJsonFile({ root, file: polytokenProjectHooksFile(root), rootShape: "list" });
  return readHookGroups(file, FORMAT, isCommittedCommand).some(({ ours }) => ours.length > 0);
}

/** Without a matcher: a Polytoken glob names one kind of tool, and policies decide by more than that. */
const FORM: EntryForm = {
  runtime: "polytoken",
  toolEvents: { pre: ["pre_tool_use"], post: ["post_tool_use", "post_tool_use_failure"] },
  lifecycleAdapter: polytokenLifecycle,
  // A lifecycle event has the name that all agents share: two of them come after a tool call, and so may policies.
  toValue: ({ phase, event, command }) => ({
    name: entryName(phase === "pre" || phase === "post" ? event : phase),
    event,
    handler: { bash: command },
  }),
};

/** The name of drwn's entry for an event, in Polytoken's logs and for people who turn it off. */
function entryName(event: string): string {
  return `${ENTRY_NAME}${event.replace(/[._]/gu, "-")}`;
}

const ENTRY_NAME = "drwn-";

/** Finds what in Polytoken's files keeps the hook from running. */
function checkPolytoken({ host, root }: AgentContext): Finding[] {
  const projectFile = polytokenProjectHooksFile(root);
  try {
    // A file with any fault keeps Polytoken from starting.
    loadPolytokenHooks({ globalFile: globalHooksFile(host), projectFile });
    const entries = readHooksFile(projectFile)?.entries ?? [];
    return entries.flatMap(({ entry, line }) =>
      "off" in entry && entry.off.startsWith(ENTRY_NAME)
        ? [
            {
              code: "hooks-disabled",
              severity: "error" as const,
              subject: projectFile,
              message: `line ${line}: \`!${entry.off}\` keeps Polytoken from asking drwn in this project`,
              hint: `take that entry out of ${clean(projectFile)}`,
            },
          ]
        : [],
    );
  } catch (error) {
    if (!isProblem(error)) throw error;
    const { message, hint } = error;
    return [
      {
        code: "settings-unreadable",
        severity: "error",
        subject: "polytoken",
        message,
        hint: hint ?? "correct the file",
      },
    ];
  }
}
