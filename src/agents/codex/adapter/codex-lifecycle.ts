import type { PresentedLifecycleVerdict, Reply } from "../../../hook-base/adapter/adapter.ts";
import {
  CLAUDE_FORMATS,
  createLifecycleAdapter,
  fieldOfNotice,
  fieldsOfContext,
  fieldsOfHold,
  MAY_HOLD,
  REPORT_ONLY,
} from "../../../hook-base/adapter/lifecycle-format.ts";
import { quoteJson } from "../../../hook-base/primordials.ts";
import { CODEX_TOOLS } from "./codex-calls.ts";

/** The lifecycle events that Codex reports. */
export const codexLifecycle = createLifecycleAdapter({
  formats: {
    ...CLAUDE_FORMATS,
    "compact.before": { name: "PreCompact", ...MAY_HOLD, fields: { trigger: "trigger" } },
    "compact.after": { name: "PostCompact", ...REPORT_ONLY, fields: { trigger: "trigger" } },
  },
  others: ["Interrupt", "PostModelRequest", "PreModelRequest"],
  canonicalTools: CODEX_TOOLS,
  encode,
});

/** Codex takes an answer whole or not at all, and each event has its own fields. */
function encode(saying: PresentedLifecycleVerdict): Reply {
  const { powers, action, reason, context } = saying;
  const { name } = powers;
  let fields = isSilent(name) ? "" : fieldOfNotice(saying);
  if (action !== "allow") fields += held(name, reason);
  else if (context !== null && powers.injects) fields += fieldsOfContext(name, context);
  return { text: fields === "" ? "" : `{"continue":${continues(name, action)}${fields}}\n`, effective: action };
}

/** The events whose answers Codex does not read. */
function isSilent(name: string): boolean {
  return name === "SessionEnd" || name === "Interrupt" || name === "PreModelRequest" || name === "PostModelRequest";
}

/** `continue: false` holds a compaction; a field of their own holds all other events. */
function continues(name: string, action: PresentedLifecycleVerdict["action"]): string {
  return name === "PreCompact" && action !== "allow" ? "false" : "true";
}

function held(name: string, reason: string): string {
  if (name === "PreCompact") return `,"stopReason":${quoteJson(reason)}`;
  return fieldsOfHold(name, reason);
}
