import type { MomentSaying, Reply } from "../../../hot/adapter/adapter.ts";
import { CLAUDE_FORMATS, fieldOfNotice, fieldsOfContext, fieldsOfHold } from "../../../hot/adapter/claude-moments.ts";
import { createMoments, HOLDS, WATCHED } from "../../../hot/adapter/moment-format.ts";
import { quoteJson } from "../../../hot/primordials.ts";
import { CODEX_TOOLS } from "./tools.ts";

/** The moments that Codex reports. */
export const codexMoments = createMoments({
  formats: {
    ...CLAUDE_FORMATS,
    "compact.before": { name: "PreCompact", ...HOLDS, fields: { trigger: "trigger" } },
    "compact.after": { name: "PostCompact", ...WATCHED, fields: { trigger: "trigger" } },
  },
  others: ["Interrupt", "PostModelRequest", "PreModelRequest"],
  canonicalTools: CODEX_TOOLS,
  encode,
});

/** Codex takes an answer whole or not at all, and each event has its own fields. */
function encode(saying: MomentSaying): Reply {
  const { at, action, reason, context } = saying;
  const { name } = at;
  let fields = isSilent(name) ? "" : fieldOfNotice(saying);
  if (action !== "allow") fields += held(name, reason);
  else if (context !== null && at.injects) fields += fieldsOfContext(name, context);
  return { text: fields === "" ? "" : `{"continue":${continues(name, action)}${fields}}\n`, effective: action };
}

/** The events whose answers Codex does not read. */
function isSilent(name: string): boolean {
  return name === "SessionEnd" || name === "Interrupt" || name === "PreModelRequest" || name === "PostModelRequest";
}

/** `continue: false` holds a compaction; a field of their own holds all other events. */
function continues(name: string, action: MomentSaying["action"]): string {
  return name === "PreCompact" && action !== "allow" ? "false" : "true";
}

function held(name: string, reason: string): string {
  if (name === "PreCompact") return `,"stopReason":${quoteJson(reason)}`;
  return fieldsOfHold(name, reason);
}
