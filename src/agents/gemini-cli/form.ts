import type { EntryForm } from "../../wiring/entries/wanted-entries.ts";
import type { EntryManners, HookPhase } from "../../wiring/launcher.ts";
import { mannersByAnswer } from "../../wiring/refusal.ts";
import { AGENT_TIMEOUT_SECONDS } from "../../wiring/wanted.ts";
import { geminiMoments } from "./adapter/moments.ts";

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
    moments: geminiMoments,
    mannersAt: geminiManners,
    // Gemini CLI counts in milliseconds.
    toValue: ({ command }) => ({
      hooks: [{ type: "command", ...handler, command, timeout: AGENT_TIMEOUT_SECONDS * 1_000 }],
    }),
  };
}

export function geminiManners(phase: HookPhase): EntryManners {
  return mannersByAnswer(geminiMoments, phase);
}
