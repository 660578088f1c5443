import type { TranscriptCall } from "../agents/transcript/call.ts";
import { GLOBAL_KEY } from "../contract/scope.ts";
import type { JournalLine } from "../journal/line.ts";
import { eachCall } from "../journal/select.ts";
import type { Host } from "../kernel/host.ts";
import { AGENT_IDS, type AgentId } from "../policy/event.ts";
import { findProjectRoot } from "../project/identity.ts";
import { listKnownProjects } from "../workspace/known-projects.ts";
import { locateProject } from "../workspace/locate-project.ts";

interface JournaledRequest {
  since: Date;
  agent?: AgentId | undefined;
  /** A folder; null: all of them. */
  root: string | null;
  /** Agents whose own records have these calls, so that no hook is asked about a call twice. */
  besides: readonly AgentId[];
}

/** Calls with their input from drwn's own journal, of agents whose own records drwn cannot read. */
export function* journaledCalls(
  host: Host,
  { since, agent, root, besides }: JournaledRequest,
  hear: (what: string) => void,
): Generator<TranscriptCall> {
  for (const { key, folder } of journalsOf(host, root)) {
    for (const line of eachCall({ home: host.drwnHome, key }, { since, phase: "pre-tool" })) {
      const runtime = AGENT_IDS.find((one) => one === line.runtime);
      if (runtime === undefined || besides.includes(runtime) || (agent !== undefined && runtime !== agent)) continue;
      const input = inputOf(line);
      if (line.tool === null || input === "none") continue;
      if (input === "other") hear("drwn's journal: an input that was cut or redacted");
      else yield { ...toCall(line, runtime), tool: line.tool, input, folder };
    }
  }
}

/** The journal of every known project, or of the one around the folder. */
function journalsOf(host: Host, root: string | null): { key: string; folder: string | undefined }[] {
  if (root === null) {
    const known = listKnownProjects(host.drwnHome).map(({ key, present: [folder] }) => ({ key, folder }));
    return [...known, ...(known.some(({ key }) => key === GLOBAL_KEY) ? [] : [{ key: GLOBAL_KEY, folder: undefined }])];
  }
  if (findProjectRoot(root) === undefined) return [];
  const project = locateProject({ cwd: root, drwnHome: host.drwnHome });
  return [{ key: project.key, folder: project.root }];
}

/** `other`: the journal doesn't have the real input. */
function inputOf({ input }: JournalLine): Record<string, unknown> | "none" | "other" {
  if (input === undefined) return "none";
  if (input.includes(REDACTED)) return "other";
  try {
    const parsed: unknown = JSON.parse(input);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : "other";
  } catch {
    return "other";
  }
}

function toCall(line: JournalLine, agent: AgentId): Omit<TranscriptCall, "tool" | "input"> {
  return {
    agent,
    session: line.session ?? "",
    id: line.call ?? "",
    at: new Date(line.time),
    outcome: line.effective === "deny" ? "refused" : "unknown",
    subagent: false,
  };
}

/** The journal has this in place of a secret. */
const REDACTED = "[redacted]";
