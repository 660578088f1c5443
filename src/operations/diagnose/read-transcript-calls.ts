import { callNames } from "../../agents/call-names.ts";
import type { ReportGap, TranscriptCall, TranscriptFile, TranscriptReader } from "../../agents/transcript/call.ts";
import type { CallToMatch } from "../../journal/journal-index.ts";
import { isProblem } from "../../kernel/problem.ts";

/** A policy that has to be asked before calls since a person consented to it. */
export interface PolicyToAsk {
  runtimes: readonly string[] | null;
  match: RegExp | null;
  since: number;
}

/** A call that a policy had to be asked about, from the agent's own transcript. */
export interface RecordedCall extends CallToMatch {
  agent: TranscriptCall["agent"];
  /** The tool as the agent calls it. */
  ownTool: string;
  outcome: TranscriptCall["outcome"];
  subagent: boolean;
}

/** A transcript with those of its calls that have to be in the journal. */
export interface ReadTranscript {
  changed: number;
  calls: RecordedCall[];
}

interface TranscriptRequest {
  reader: TranscriptReader;
  files: Iterable<TranscriptFile>;
  /** How much of the end of each file is read; undefined: all of it. */
  lastBytes?: number | undefined;
  /** The policies that this agent's calls have to go to. */
  asked: readonly PolicyToAsk[];
  isOurs: (folder: string) => boolean;
  /** In milliseconds: older calls are skipped. */
  since: number;
}

/** The transcripts of an agent, each read once. Keeps nothing about what their calls did. */
export async function readTranscriptCalls(
  { reader, files, lastBytes, asked, isOurs, since }: TranscriptRequest,
  reportGap: ReportGap,
): Promise<ReadTranscript[]> {
  const transcripts: ReadTranscript[] = [];
  for (const { file, changed } of files) {
    if (changed.getTime() < since) continue;
    const calls: RecordedCall[] = [];
    transcripts.push({ changed: changed.getTime(), calls });
    for await (const call of callsOf(reader.calls(file, reportGap, lastBytes), file, reportGap)) {
      if (call.at.getTime() < since || !isOurs(call.startedIn ?? call.folder ?? "/")) continue;
      const names = callNames(call);
      if (isWanted(names, call.at, asked)) calls.push(recordOf(call, names[0] ?? call.tool));
    }
  }
  return transcripts;
}

/** A transcript that cannot be read is a gap, too. */
async function* callsOf(
  calls: AsyncGenerator<TranscriptCall>,
  file: string,
  reportGap: ReportGap,
): AsyncGenerator<TranscriptCall> {
  try {
    yield* calls;
  } catch (error) {
    if (!isProblem(error) && !(error instanceof Error && "code" in error)) throw error;
    reportGap({ file, line: null, what: `cannot be read: ${error.message}` });
  }
}

function isWanted(names: readonly string[], at: Date, asked: readonly PolicyToAsk[]): boolean {
  const time = at.getTime();
  return asked.some((policy) => policy.since <= time && names.some((name) => policy.match?.test(name) ?? true));
}

function recordOf({ agent, session, id, at, until, tool, subagent, outcome }: TranscriptCall, name: string) {
  const ran = outcome === "unknown" ? undefined : outcome !== "refused";
  return { runtime: agent, agent, call: id, session, tool: name, ownTool: tool, at, until, ran, outcome, subagent };
}
