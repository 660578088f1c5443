import type { HookFormat } from "../../wiring/entries/groups.ts";

/** An unknown field at the top makes Codex refuse the whole file. It ignores unknown events. */
export const CODEX_FORMAT: HookFormat = {
  events: new Set([
    "Interrupt",
    "PermissionRequest",
    "PostCompact",
    "PostModelRequest",
    "PostToolUse",
    "PreCompact",
    "PreModelRequest",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
  ]),
  items: "groups",
  commands: ["command"],
};
