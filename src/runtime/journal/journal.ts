import { HASH_FIELD, JOURNAL } from "../../contract/journal.ts";
import { digestLate } from "../../hot/digest.ts";
import { encodeText, now, quoteJson, round, sliceText } from "../../hot/primordials.ts";
import type { NotesPlace } from "../../hot/read-file.ts";
import { cleanLine } from "../../hot/text.ts";
import { writeAll, writeWhole } from "../../hot/write.ts";
import type { PolicyAnswer } from "../run/answer-of-policy.ts";
import type { PreparedPolicy } from "../verify/prepare.ts";
import { closeDenied, findDenial, noteDenied, openDenied } from "./denied.ts";
import { closeJournalFiles, type JournalFiles, openJournalFiles } from "./files.ts";
import { instantOf } from "./instant.ts";
import { redactSecrets } from "./redact.ts";

const MAXIMUM_REASON = 300;
const MAXIMUM_INPUT = 2_000;
const MAXIMUM_SEARCHED = 32_768;
const LONGEST_TOOL_NAME = 200;

/** Where `drwn hook explain` and `drwn hook run --verbose` listen. */
const HEARD_FD = 4;

/** One line about one call, built up while the call is decided. */
export interface Journal {
  /** The line has answers whole and unredacted, and the project's journal is left alone. */
  isExplained: boolean;
  /** JSON text that precedes the line for the command that listens; null: none does. */
  heard: string | null;
  /** Null: nothing can be written, and that decides nothing. */
  files: JournalFiles | null;
  /** Where the id of a call is noted that is denied; null: it has none, or it was made already. */
  denied: number | null;
  callId: string;
  /** JSON text up to the list of policies. */
  head: string;
  policies: string;
  /** A person has asked for what tools are called with. */
  keepsInputs: boolean;
  begun: number;
}

export interface JournaledCall {
  runtime: string;
  phase: string;
  tool: string | null;
  /** "": the agent doesn't say. */
  callId: string;
  session: string;
  /** JSON text; null: it could not be read, or nobody was asked about it. */
  input: string | null;
}

export interface JournalPlace extends NotesPlace {
  isExplained: boolean;
  /** The command that started the launcher listens to what becomes of the call. */
  isHeard: boolean;
  /** A person has asked for what tools are called with. */
  keepsInputs: boolean;
  /** When the call came, in milliseconds since this process started. */
  begun: number;
  /** The digest of the plan; absent where there is none, or it is damaged or paused. */
  plan?: string;
}

/** Opened before any policy runs. */
export function openJournal(place: JournalPlace, told: JournaledCall): Journal {
  const { runtime, phase, tool, input, callId } = told;
  const session = cleanLine(told.session, LONGEST_TOOL_NAME);
  // With the process's number no two lines are the same.
  const name = tool === null ? null : cleanLine(tool, LONGEST_TOOL_NAME);
  const call = JSON.stringify({
    pid: process.pid,
    runtime,
    phase,
    tool: name,
    ...(callId === "" ? {} : { call: callId }),
    ...(session === "" ? {} : { session }),
    ...describeDenial(place, { ...told, session }),
  });
  const head = `{"time":"${instantOf(new Date())}",${call.slice(1, -1)}`;
  const { isExplained, isHeard, keepsInputs, begun } = place;
  const kept = keepsInputs && input !== null ? `,"input":${quoteInput(input)}` : "";
  const files = isExplained ? null : openJournalFiles(place);
  const heard = isHeard ? `{"plan":${quoteJson(place.plan ?? "")},"verified":${tenths(now() - begun)},` : null;
  const denied = files !== null && callId !== "" && phase === "pre-tool" ? openDenied(place) : null;
  return { isExplained, heard, files, denied, callId, head: head + kept, policies: "", keepsInputs, begun };
}

/** A call that was denied, and ran all the same: the line of its denial is named. */
function describeDenial(place: JournalPlace, { phase, callId, session }: JournaledCall): { overruled?: string } {
  if (phase !== "post-tool" || callId === "" || place.isExplained) return {};
  const overruled = findDenial(place, callId, session);
  return overruled === null ? {} : { overruled };
}

/** Looked through before it is cut, as reasons are, so that no half of a secret stays. */
function quoteInput(input: string): string {
  const redacted = redactSecrets(sliceText(input, 0, MAXIMUM_SEARCHED));
  return quoteJson(redacted.length > MAXIMUM_INPUT ? `${sliceText(redacted, 0, MAXIMUM_INPUT)}…` : redacted);
}

export interface JournaledAnswer {
  answer: PolicyAnswer;
  /** What the agent could carry of it. */
  carried: PolicyAnswer["action"];
  isApplied: boolean;
  /** When the policy was asked, in milliseconds since the process started. */
  begun: number;
  /** By which the call went past it; absent, or null: none. */
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
  journal.policies += journal.policies === "" ? entry : `,${entry}`;
}

function answerText({ reason, context, updatedInput, syntheticOutput }: PolicyAnswer): string {
  const added = context === null ? "" : `,"context":${quoteJson(context)}`;
  const input = updatedInput === null ? "" : `,"updatedInput":${updatedInput}`;
  const output = syntheticOutput === null ? "" : `,"syntheticOutput":${syntheticOutput}`;
  return `{"reason":${quoteJson(reason)}${added}${input}${output}}`;
}

export interface JournaledEnd {
  verdict: string;
  effective: string;
  /** What was wrong with the call itself, or with the state of the project. */
  problem: string | null;
  /** How the verdict came about; null where nothing was said. */
  ruling: Ruling | null;
}

/** Which rule of composition made the verdict, and what the agent is told by it. */
export interface Ruling {
  rule: "deny" | "failure" | "no-agreement" | "ask" | "allow";
  /** The policy that denied or asked. */
  by: string | null;
  reason: string;
  /** Characters of context that the agent gets. */
  context: number;
  /** JSON text of the input that takes the place of the tool's. */
  updatedInput: string | null;
  /** What names the call that was denied; absent: a person cannot let it through. */
  call?: NamedCall;
}

/** Texts as the agent sent them; "": it sent none. */
export interface NamedCall {
  digest: string;
  folder: string;
  session: string;
}

/** Writes the line and its seal, and says it to the command that listens. No error leaves it. */
export function writeJournal(journal: Journal, end: JournaledEnd): void {
  const { files, heard } = journal;
  try {
    if (files !== null) writeLine(files, lineOf(journal, end));
    if (end.effective === "deny" && journal.denied !== null) noteDenied(journal.denied, journal.callId);
    if (heard !== null) writeAll(HEARD_FD, `${heard}${sliceText(lineOf(journal, end), 1)}}\n`);
  } catch {
    // The call is decided, and its agent has the answer.
  }
}

function writeLine({ journal, seals, tail }: JournalFiles, line: string): void {
  const { at, prev, isTorn } = tail;
  const text = `${line},"at":${at},"prev":"${prev}"`;
  const hash = digestLate(encodeText(text));
  if (!writeWhole(journal, `${isTorn ? "\n" : ""}${text}${HASH_FIELD}${hash}"}\n`)) return;
  writeWhole(seals, `${sliceText(hash, 0, JOURNAL.seal)}\n`);
}

/** For a process that answers more than one call. */
export function closeJournal({ files, denied }: Journal): void {
  if (files !== null) closeJournalFiles(files);
  if (denied !== null) closeDenied(denied);
}

/** JSON text without its end. */
function lineOf(
  { head, policies, keepsInputs, begun }: Journal,
  { verdict, effective, problem, ruling }: JournaledEnd,
): string {
  const outcome = `"verdict":"${verdict}","effective":"${effective}"`;
  const trouble = problem === null ? "" : `,"problem":${quoteReason(problem)}`;
  return `${head},"policies":[${policies}],${outcome}${rulingText(ruling, keepsInputs)}${trouble},"ms":${tenths(now() - begun)}`;
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
