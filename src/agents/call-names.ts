import { BrokenEvent } from "../hook-base/read-input.ts";
import { canaryCall } from "../wiring/canary-call.ts";
import { findAdapter } from "./adapters.ts";
import { targetsOf } from "./targets.ts";
import type { TranscriptCall } from "./transcript/transcript.ts";

/**
 * The names under which policies are asked about a call: first its own, as the journal has it, then the names of the
 * calls that it amounts to.
 */
export function callNames({ agent, tool, input, folder = "/" }: TranscriptCall): string[] {
  const [target] = targetsOf([agent]);
  const adapter = findAdapter(agent);
  if (target === undefined || adapter === undefined) return [tool];
  const { event: wire } = canaryCall(target.calls, { root: folder, tool, input });
  try {
    const { toolName, aliases, otherNames, views } = adapter.decode({ ...wire }, "pre-tool");
    return [toolName, ...aliases, ...otherNames, ...views.flatMap((view) => [view.toolName, ...view.aliases])];
  } catch (error) {
    // The hook cannot read it either, and blocks it under its own name.
    if (!(error instanceof BrokenEvent)) throw error;
    return [tool];
  }
}
