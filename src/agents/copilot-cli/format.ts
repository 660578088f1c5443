import type { HookFormat } from "../../wiring/entries/groups.ts";

/** A file of hooks of Copilot CLI, which must name its version. Copilot CLI ignores events that it does not know. */
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
  // It ignores the file without.
  beside: { path: ["version"], value: 1 },
};
