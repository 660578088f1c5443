import type { HookFormat } from "../../wiring/entries/groups.ts";
import type { EntryForm } from "../../wiring/entries/plan-entries.ts";
import { fallbackAnswerAt, type HookPhase } from "../../wiring/launcher.ts";
import { AGENT_TIMEOUT_SECONDS } from "../../wiring/target.ts";
import { judgeEvents } from "../../wiring/tool-effects.ts";
import { geminiLifecycle } from "./adapter.ts";

interface Handler {
  /** The hook's name in Gemini CLI's lists. */
  name: string;
  /** Variables that the hook gets besides its environment. */
  env?: Readonly<Record<string, string>>;
}

/** The form of drwn's entries in Gemini CLI's settings. */
export function geminiForm(handler: Handler): EntryForm {
  return {
    runtime: "gemini-cli",
    toolEvents: { pre: ["BeforeTool"], post: ["AfterTool"] },
    lifecycleAdapter: geminiLifecycle,
    fallbackAnswerAt: geminiFallbackAnswerAt,
    // Gemini CLI counts in milliseconds.
    toValue: ({ command }) => ({
      hooks: [{ type: "command", ...handler, command, timeout: AGENT_TIMEOUT_SECONDS * 1_000 }],
    }),
  };
}

export function geminiFallbackAnswerAt(phase: HookPhase): string | undefined {
  return fallbackAnswerAt(geminiLifecycle, phase);
}

export const GEMINI_EVENTS = judgeEvents(geminiLifecycle, ["BeforeTool"]);

/** Gemini CLI skips any other name, with a warning. */
export const GEMINI_FORMAT: HookFormat = {
  events: new Set(Object.keys(GEMINI_EVENTS)),
  items: "groups",
  extras: "comments",
  commands: ["command"],
};
