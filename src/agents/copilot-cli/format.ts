import type { HookFormat } from "../../wiring/entries/groups.ts";

/** A Copilot CLI hooks file, which must name its version. Copilot CLI ignores unknown events. */
export const COPILOT_FORMAT: HookFormat = {
  events: new Set([
    "agentStop",
    "errorOccurred",
    "notification",
    "permissionRequest",
    "postToolUse",
    "postToolUseFailure",
    "preCompact",
    "preToolUse",
    "sessionEnd",
    "sessionStart",
    "subagentStart",
    "subagentStop",
    "userPromptSubmitted",
    "userPromptTransformed",
  ]),
  items: "handlers",
  commands: ["bash", "command"],
  // Copilot CLI ignores a file without it.
  requiredFields: { path: ["version"], value: 1 },
};
