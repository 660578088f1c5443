import { CLAUDE_FORMAT } from "../../../src/agents/claude-code/read-settings.ts";
import { type EntriesRequest, type PlannedEntries, planEntries } from "../../../src/wiring/entries/plan-entries.ts";

/** An entry of drwn in settings of Claude Code, as the tests name its parts. */
export interface WiringEntry {
  event: "PreToolUse" | "PostToolUse" | "PostToolUseFailure";
  matcher: string | null;
  command: string;
  timeout: number;
  onFailure?: "block";
}

export function groupOf({ matcher, command, timeout, onFailure }: WiringEntry) {
  return {
    ...(matcher === null ? {} : { matcher }),
    hooks: [{ type: "command", command, timeout, ...(onFailure === undefined ? {} : { onFailure }) }],
  };
}

type WiringRequest = Omit<EntriesRequest, "entries" | "format"> & { entries: readonly WiringEntry[] };

export function planWiring({ entries, ...request }: WiringRequest): PlannedEntries {
  const written = entries.map((entry) => ({ event: entry.event, value: groupOf(entry) }));
  return planEntries({ ...request, format: CLAUDE_FORMAT, entries: written });
}
