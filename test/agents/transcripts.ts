import path from "node:path";
import type { TranscriptCall, TranscriptGap, TranscriptReader } from "../../src/agents/transcript/transcript.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";

/** All that a reader finds in one file. */
export async function readAll({ calls }: Pick<TranscriptReader, "calls">, file: string) {
  const found: { calls: TranscriptCall[]; gaps: TranscriptGap[] } = { calls: [], gaps: [] };
  for await (const call of calls(file, (gap) => found.gaps.push(gap))) found.calls.push(call);
  return found;
}

/** The same of these lines. */
export function readLines(reader: Pick<TranscriptReader, "calls">, lines: readonly string[], name = "session.jsonl") {
  return readAll(reader, path.join(writeTree(temporaryFolder(), { [name]: lines.join("\n") }), name));
}
