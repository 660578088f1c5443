import { existsSync as nodeExistsSync } from "node:fs";
import { hookLayout } from "../../contract/hook-layout.ts";
import { HASH_FIELD, JOURNAL } from "../../contract/journal.ts";
import { digestLate } from "../../hook-base/digest.ts";
import { encodeText, now, quoteJson, round, sliceText } from "../../hook-base/primordials.ts";
import type { NotesLocation } from "../../hook-base/read-file.ts";
import { cleanLine } from "../../hook-base/text.ts";
import { writeAll, writeWhole } from "../../hook-base/write.ts";
import type { PolicyAnswer } from "../run/policy-answer.ts";
import type { PreparedPolicy } from "../verify/read-policy.ts";
import { closeJournalFiles, type JournalFiles, openJournalFiles } from "./files.ts";
import { redactSecrets } from "./redact.ts";

const MAXIMUM_REASON = 300;
const MAXIMUM_SEARCHED = 32_768;
const LONGEST_TOOL_NAME = 200;

/** The descriptor on which `drwn explain` and `drwn hook run --verbose` listen. */
const TRACE_FD = 4;

/** One line about one call, built up while the call is decided. */
export interface Journal extends JournaledInput {
  /** The line holds the answers whole and unredacted, and nothing is written to the project's journal. */
  isExplained: boolean;
  /** JSON text that precedes the line for a command that listens; null: none listens. */
  traced: string | null;
  /** Null: nothing can be written, which changes no verdict. */
  files: JournalFiles | null;
  /** JSON text up to the list of policies. */
  head: string;
  policies: string;
  /** An exception let the call past a policy. */
  isExcepted: boolean;
  begun: number;
}

export interface JournaledCall {
  runtime: string;
  phase: string;
  tool: string | null;
  /** "": the agent does not say. */
  callId: string;
  session: string;
  /** JSON text; null: it could not be read. */
  input: string | null;
}

export interface JournalSettings extends NotesLocation {
  isExplained: boolean;
  /** The command that started the launcher listens for the outcome of the call. */
  isTraced: boolean;
  /** A person wants the inputs of all calls in the journal. */
  keepsInputs: boolean;
  /** Whose folder holds what a person wants of the journal. */
  home: string;
  /** When the call came, in milliseconds since this process started. */
  begun: number;
  /** The digest of the plan; absent if there is none, or it is damaged or paused. */
  plan?: string;
}

/** Called before any policy runs. */
export function openJournal(place: JournalSettings, journaledCall: JournaledCall): Journal {
  const { runtime, phase, tool, input, callId } = journaledCall;
  const session = cleanLine(journaledCall.session, LONGEST_TOOL_NAME);
  const name = tool === null ? null : cleanLine(tool, LONGEST_TOOL_NAME);
  const call = JSON.stringify({
    // With the process's id no two lines are the same.
    pid: process.pid,
    runtime,
    phase,
    tool: name,
    ...(callId === "" ? {} : { call: callId }),
    ...(session === "" ? {} : { session }),
  });
  const head = `{"time":"${timestampOf(new Date())}",${call.slice(1, -1)}`;
  const { isExplained, isTraced, keepsInputs, begun } = place;
  const isCall = phase === "pre-tool";
  const withoutInputs = hookLayout.journalWithoutInputs(place.home, place.key);
  const files = isExplained ? null : openJournalFiles(place);
  const traced = isTraced ? `{"plan":${quoteJson(place.plan ?? "")},"verified":${tenths(now() - begun)},` : null;
  return {
    isExplained,
    traced,
    files,
    head,
    policies: "",
    isExcepted: false,
    input,
    isCall,
    keepsInputs,
    withoutInputs,
    begun,
  };
}

interface JournaledAnswer {
  answer: PolicyAnswer;
  /** The action that the agent could carry. */
  carried: PolicyAnswer["action"];
  isApplied: boolean;
  /** When the policy was asked, in milliseconds since the process started. */
  begun: number;
  /** The exception that let the call past this policy; absent or null: none did. */
  exception?: { id: string } | null;
}

export function noteAnswer(
  journal: Journal,
  { name, kind, mode, bundle, scope }: PreparedPolicy,
  { answer, carried, isApplied, begun, exception = null }: JournaledAnswer,
): void {
  const said =
    answer.action === "failure" ? `"failure":${quoteReason(answer.reason)}` : `"decision":"${answer.action}"`;
  const became = carried === answer.action ? "" : `,"carried":"${carried}"`;
  const digest = sliceText(bundle, 0, JOURNAL.bundle);
  const who = `"policy":${quoteJson(name)},"kind":"${kind}","mode":"${mode}",${scope === null ? "" : `"scope":"${scope}",`}"bundle":"${digest}"`;
  const rewrote = answer.updatedInput === null ? "" : `,"rewrote":true`;
  const whole = journal.isExplained ? `,"answer":${answerText(answer)}` : "";
  const past = exception === null ? "" : `,"exception":"${exception.id}"`;
  const entry = `{${who},${said}${became}${past}${rewrote}${whole},"ms":${tenths(now() - begun)},"applied":${isApplied ? "true" : "false"}}`;
  if (exception !== null) journal.isExcepted = true;
  journal.policies += journal.policies === "" ? entry : `,${entry}`;
}

function answerText({ reason, context, updatedInput, syntheticOutput }: PolicyAnswer): string {
  const added = context === null ? "" : `,"context":${quoteJson(context)}`;
  const input = updatedInput === null ? "" : `,"updatedInput":${updatedInput}`;
  const output = syntheticOutput === null ? "" : `,"syntheticOutput":${syntheticOutput}`;
  return `{"reason":${quoteJson(reason)}${added}${input}${output}}`;
}

export interface JournaledVerdict {
  verdict: string;
  effective: string;
  /** What was wrong with the call itself or with the state of the project. */
  problem: string | null;
  /** How the verdict came about; null if the agent gets nothing that a policy said. */
  ruling: Ruling | null;
}

/** Which rule of composition made the verdict, and what the agent gets. */
export interface Ruling {
  rule: "deny" | "failure" | "no-agreement" | "ask" | "allow";
  /** The policy that denied or asked. */
  by: string | null;
  reason: string;
  /** How many characters of context the agent gets. */
  context: number;
  /** JSON text of the input that replaces the agent's. */
  updatedInput: string | null;
  /** Identifies the call that was denied; absent: a person cannot let it through. */
  call?: NamedCall;
}

/** The folder and the session are as the agent sent them; "": it sent none. */
interface NamedCall {
  digest: string;
  folder: string;
  session: string;
}

/** Writes the line, and sends the line to a command that listens. Never throws. */
export function writeJournal(journal: Journal, end: JournaledVerdict): void {
  const { files, traced } = journal;
  try {
    if (files !== null) writeLine(files, lineOf(journal, end));
    if (traced !== null) writeAll(TRACE_FD, `${traced}${sliceText(lineOf(journal, end), 1)}}\n`);
  } catch {
    // The call is decided, and the agent has the answer.
  }
}

function writeLine({ journal, tail }: JournalFiles, line: string): void {
  const { at, prev, isTorn } = tail;
  const text = `${line},"at":${at},"prev":"${prev}"`;
  const hash = digestLate(encodeText(text));
  writeWhole(journal, `${isTorn ? "\n" : ""}${text}${HASH_FIELD}${hash}"}\n`);
}

/** For processes that answer more than one call. */
export function closeJournal({ files }: Journal): void {
  if (files !== null) closeJournalFiles(files);
}

/** JSON text without its end. */
function lineOf(journal: Journal, { verdict, effective, problem, ruling }: JournaledVerdict): string {
  const { policies, begun } = journal;
  const isNoted = verdict !== "allow" || journal.isExcepted || (ruling !== null && ruling.updatedInput !== null);
  const keeps = journal.keepsInputs || (isNoted && journal.isCall && !existsSync(journal.withoutInputs));
  const head = journal.head + (keeps ? inputText(journal, verdict) : "");
  const outcome = `"verdict":"${verdict}","effective":"${effective}"`;
  const trouble = problem === null ? "" : `,"problem":${quoteReason(problem)}`;
  return `${head},"policies":[${policies}],${outcome}${rulingText(ruling, keeps)}${trouble},"ms":${tenths(now() - begun)}`;
}

function rulingText(ruling: Ruling | null, keepsInputs: boolean): string {
  if (ruling === null) return "";
  const { rule, by, reason, context, updatedInput, call } = ruling;
  const input = updatedInput === null ? "" : `,"rewritten":${keepsInputs ? quoteInput(updatedInput) : "true"}`;
  const who = by === null ? "" : `,"by":${quoteJson(by)}`;
  const said = reason === "" ? "" : `,"reason":${quoteReason(reason)}`;
  const more = `${context === 0 ? "" : `,"context":${context}`}${input}`;
  return `,"rule":"${rule}"${who}${said}${more}${call === undefined ? "" : namedText(call)}`;
}

function namedText({ digest, folder, session }: NamedCall): string {
  return `,"named":{"digest":"${digest}","folder":${quoteJson(folder)},"session":${quoteJson(session)}}`;
}

function quoteReason(reason: string): string {
  const redacted = redactSecrets(sliceText(reason, 0, MAXIMUM_SEARCHED));
  return quoteJson(cleanLine(redacted, MAXIMUM_REASON));
}

function tenths(milliseconds: number): number {
  return round(milliseconds * 10) / 10;
}

// Taken before policies can replace it, because it is called after they ran.
const existsSync = nodeExistsSync;

const MAXIMUM_INPUT = 2_000;
/** A person can let a denied call through only if the journal has all of it. */
const MAXIMUM_DENIED_INPUT = 32_000;

/** What the tool is called with, and what a person wants of that in the journal. */
interface JournaledInput {
  /** JSON text; null: nobody could read it. */
  input: string | null;
  /** Something that a policy can hold a tool from doing, not a lifecycle event. */
  isCall: boolean;
  /** A person wants the inputs of all calls in the journal. */
  keepsInputs: boolean;
  /** If this file exists, a person wants none. */
  withoutInputs: string;
}

/** The whole input of a call that was denied or asked about; of others the beginning. */
function inputText({ input, isCall }: JournaledInput, verdict: string): string {
  if (input === null) return "";
  if (verdict === "allow" || !isCall) return `,"input":${quoteInput(input)}`;
  const text = redactSecrets(sliceText(input, 0, MAXIMUM_SEARCHED));
  const isCut = input.length > MAXIMUM_SEARCHED || text.length > MAXIMUM_DENIED_INPUT;
  const kept = isCut ? `${sliceText(text, 0, MAXIMUM_DENIED_INPUT)}…` : text;
  return `,"input":${quoteJson(kept)}${text === input ? ',"isWhole":true' : ""}`;
}

/** Redacts before it cuts, as for reasons, so that no half of a secret remains. */
function quoteInput(input: string): string {
  const redacted = redactSecrets(sliceText(input, 0, MAXIMUM_SEARCHED));
  return quoteJson(redacted.length > MAXIMUM_INPUT ? `${sliceText(redacted, 0, MAXIMUM_INPUT)}…` : redacted);
}

/** The same text as `toISOString`, whose first call prepares time zones and takes longer than everything else here. */
export function timestampOf(date: Date): string {
  const day = `${date.getUTCFullYear()}-${digits(date.getUTCMonth() + 1)}-${digits(date.getUTCDate())}`;
  const time = `${digits(date.getUTCHours())}:${digits(date.getUTCMinutes())}:${digits(date.getUTCSeconds())}`;
  return `${day}T${time}.${digits(date.getUTCMilliseconds(), 3)}Z`;
}

function digits(number: number, length = 2): string {
  return `${number}`.padStart(length, "0");
}
