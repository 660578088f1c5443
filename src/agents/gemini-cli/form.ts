import type { EntryForm } from "../../wiring/entries/wanted-entries.ts";
import type { EntryManners, HookPhase } from "../../wiring/launcher.ts";
import { mannersByAnswer } from "../../wiring/refusal.ts";
import { AGENT_TIMEOUT_SECONDS } from "../../wiring/wanted.ts";
import { geminiCli } from "./adapter/calls.ts";
import { geminiMoments } from "./adapter/moments.ts";

interface Handler {
  /** What the hook is called in lists of Gemini CLI. */
  name: string;
  /** What it is started with beside its surroundings. */
  env?: Readonly<Record<string, string>>;
}

/** The entries of drwn in settings of Gemini CLI. */
export function geminiForm(handler: Handler): EntryForm {
  return {
    runtime: "gemini-cli",
    toolEvents: { pre: ["BeforeTool"], post: ["AfterTool"] },
    moments: geminiMoments,
    narrowing: { canonicalTools: geminiCli.canonicalTools, matcherOf: (tools) => `^(?:${tools.join("|")})$` },
    mannersAt: geminiManners,
    // Gemini CLI counts in milliseconds.
    toValue: ({ command, matcher }) => ({
      ...matcher,
      hooks: [{ type: "command", ...handler, command, timeout: AGENT_TIMEOUT_SECONDS * 1_000 }],
    }),
  };
}

export function geminiManners(phase: HookPhase): EntryManners {
  return mannersByAnswer(geminiMoments, phase);
}
