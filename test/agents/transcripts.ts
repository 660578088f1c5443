import type { TranscriptCall, TranscriptGap, TranscriptReader } from "../../src/agents/transcript/transcript.ts";

/** All that a reader finds in one file. */
export async function readAll({ calls }: Pick<TranscriptReader, "calls">, file: string) {
  const found: { calls: TranscriptCall[]; gaps: TranscriptGap[] } = { calls: [], gaps: [] };
  for await (const call of calls(file, (gap) => found.gaps.push(gap))) found.calls.push(call);
  return found;
}
