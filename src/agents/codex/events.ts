import type { HookFormat } from "../../wiring/entries/groups.ts";

/** Codex refuses the whole file for an unknown field at the top, and ignores events that it does not know. */
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
