import type { HookFormat } from "../../wiring/entries/groups.ts";

/** Gemini CLI's events. It skips any other name, with a warning. */
export const GEMINI_FORMAT: HookFormat = {
  events: new Set([
    "AfterAgent",
    "AfterModel",
    "AfterTool",
    "BeforeAgent",
    "BeforeModel",
    "BeforeTool",
    "BeforeToolSelection",
    "Notification",
    "PreCompress",
    "SessionEnd",
    "SessionStart",
  ]),
  items: "groups",
  extras: "comments",
  commands: ["command"],
};
