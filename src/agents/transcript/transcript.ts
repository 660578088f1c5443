import fs from "node:fs";
import path from "node:path";
import { hasCode } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import type { AgentId } from "../../policy/event.ts";
import type { AgentSigns } from "../../wiring/target.ts";

/**
 * What an agent's own record says about a call. `failed`: it ran, or began to, and ended with an error. `refused`:
 * somebody (a hook, a rule, a person, the tool itself) kept it from running. `unknown`: the record has no result for
 * it, or doesn't say which of these.
 */
export type CallOutcome = "ran" | "failed" | "refused" | "unknown";

/** A tool call as the agent's own transcript has it. */
export interface TranscriptCall {
  agent: AgentId;
  /** The session's id as the agent's hooks get it, which for a subagent may be that of the session that started it. */
  session: string;
  /** The folder in which the agent worked at that moment. */
  folder?: string | undefined;
  /** The folder in which the session was started. */
  startedIn?: string | undefined;
  /** No later than its hooks were asked. */
  at: Date;
  /** No earlier than they had answered. Absent: the record doesn't say. */
  until?: Date | undefined;
  /** As the agent's hooks get it, if they get one. Models and servers choose it, so two calls may have the same one. */
  id: string;
  /** Tool and input as the agent's hooks get them, which may differ from what the model sees. */
  tool: string;
  input: Record<string, unknown>;
  outcome: CallOutcome;
  subagent: boolean;
}

/** A part of a transcript that drwn doesn't understand, and so says nothing about. */
export interface TranscriptGap {
  file: string;
  /** Null: the whole file. */
  line: number | null;
  /** Completes "line 3 …". The file's own words in it haven't been cleaned yet. */
  what: string;
}

export type ReportGap = (gap: TranscriptGap) => void;

export interface TranscriptFile {
  file: string;
  changed: Date;
  bytes: number;
}

/**
 * Reads what one agent keeps about its sessions. It changes nothing, and holds only a bounded part of a file in memory.
 */
export interface TranscriptReader {
  runtime: AgentId;
  title: string;
  files(host: Pick<Host, "cwd" | "home" | "env" | "drwnHome">, reportGap: ReportGap): Generator<TranscriptFile>;
  /** `lastBytes`: only about so much of the end of a file. */
  calls(file: string, reportGap: ReportGap, lastBytes?: number): AsyncGenerator<TranscriptCall>;
}

/** Where an agent is on a machine, and where it keeps its sessions: apart from its target, which takes longer to load. */
export interface AgentPlaces extends AgentSigns {
  /** Absent: it keeps none that drwn can read. */
  transcripts?: Omit<TranscriptReader, "runtime">;
}

/** Deeper than any agent puts its transcripts. */
const DEEPEST = 8;

/**
 * The files below a folder whose names match, in the order of their paths. It passes over files that are gone again,
 * and reports what it cannot read, which may hold calls.
 */
export function* findTranscripts(
  folder: string,
  name: RegExp,
  reportGap: ReportGap,
  depth = 0,
): Generator<TranscriptFile> {
  for (const entry of listTranscripts(folder, reportGap)) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (depth < DEEPEST) yield* findTranscripts(file, name, reportGap, depth + 1);
      continue;
    }
    const isNamed = name.test(entry.name);
    const stat = isNamed || entry.isSymbolicLink() ? statTranscript(file, reportGap) : undefined;
    // Links may lead around in a circle.
    if (stat?.isDirectory()) reportGap({ file, line: null, what: "is a link to a folder, which isn't followed" });
    else if (stat !== undefined && isNamed) yield { file, changed: stat.mtime, bytes: stat.size };
  }
}

export function listTranscripts(folder: string, reportGap: ReportGap): fs.Dirent[] {
  const entries = attempt(folder, reportGap, () => fs.readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

export function statTranscript(file: string, reportGap: ReportGap): fs.Stats | undefined {
  return attempt(file, reportGap, () => fs.statSync(file, { throwIfNoEntry: false }));
}

function attempt<T>(file: string, reportGap: ReportGap, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    if (!hasCode(error, "ENOENT")) reportGap({ file, line: null, what: `cannot be read: ${error.message}` });
    return undefined;
  }
}
