import { layout } from "../contract/layout.ts";
import { decodeBytes } from "../hook-base/primordials.ts";
import { readBytes } from "../hook-base/read-file.ts";
import { type Fields, fieldOf, isListOf, isRecord, isText } from "../hook-base/shape.ts";
import { presentBlock } from "./answer/present.ts";
import type { HookCall } from "./prepare-call.ts";
import { loadState } from "./verify/load-state.ts";

/**
 * Answers the entry that a project commits in its agents' settings: blocks if the policies that the project requires
 * are not in force on this machine, and says nothing otherwise. It doesn't judge calls: the user's own entry does.
 */
export function answerCommittedEntry(call: HookCall, configFile: string): void {
  const reason = whyNot(call, configFile);
  if (reason === undefined) {
    call.channel.letThrough();
    return;
  }
  const { adapter, channel } = call;
  const { text } = adapter.encode(presentBlock(reason));
  if (text === "") channel.complain(`drwn: ${reason}\n`);
  else
    channel.answer({ text, effective: "deny" }, null, {
      verdict: "deny",
      effective: "deny",
      problem: reason,
      ruling: null,
    });
}

function whyNot(call: HookCall, configFile: string): string | undefined {
  const config = readRecord(configFile);
  const required = config === undefined ? undefined : (fieldOf(config, "requireHooks") ?? []);
  if (!isListOf(required, isText)) return "what this project requires cannot be read; correct .agents/drwn/config.json";
  const state = loadState(call);
  if (state.kind === "damaged") return state.reason;
  if (state.kind === "paused") return undefined;
  const inForce = state.kind === "live" ? state.policies.filter(({ mode }) => mode !== "shadow") : [];
  const met = fieldOf(readRecord(layout.requirements(call.home, call.key)) ?? {}, "met");
  const unmet = required.find((one) => {
    const isKnown = isListOf(met, isText) && met.includes(one);
    return !isKnown || !inForce.some(({ card }) => card === one || one.startsWith(`${card}@`));
  });
  return unmet === undefined
    ? undefined
    : `this project requires the hook policies of ${unmet}, and they are not in force on this machine; a person can run: drwn init`;
}

function readRecord(file: string): Fields | undefined {
  const bytes = readBytes(file);
  if (typeof bytes === "string") return undefined;
  try {
    const value: unknown = JSON.parse(decodeBytes(bytes));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
