import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import { drwn } from "../kernel/advice.ts";
import { hasCode, writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormatIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import { type Finding, isProblem } from "../kernel/problem.ts";
import { findProgram } from "../kernel/process.ts";
import { clean } from "../kernel/text.ts";
import { AGENT_IDS } from "../policy/event.ts";
import type { CheckRequest, Target } from "../wiring/target.ts";
import { faultFinding, faultsAmong, type GuardFault, titleOf } from "./fault.ts";

const answerField = z.strictObject({
  program: z.string(),
  /** What identified the program, and each file on which the answer depends; null: there was none. */
  files: z.record(z.string(), z.string().nullable()),
  /** What keeps the agent from running the hook; none: it loads it. */
  findings: z.array(
    z.strictObject({
      code: z.string().regex(/^[a-z-]{1,60}$/u),
      severity: z.enum(["error", "warning", "info"]),
      subject: z.string(),
      message: z.string(),
      hint: z.string().nullable(),
    }),
  ),
});
const answersSchema = z.strictObject({
  version: z.literal(1),
  agents: z.partialRecord(z.enum(AGENT_IDS), answerField),
});

/** What an agent said when drwn asked it what it loaded. */
export type Answer = z.infer<typeof answerField>;

/** By agent; null: the record is damaged, so that nobody knows what was answered. */
export type Answers = Partial<Record<Target["runtime"], Answer>> | null;

/** What the agents answered last about the hook of this project. */
export function readAnswers(home: string, key: string): Answers {
  try {
    return readFormatIfThere(layout.agentAnswers(home, key), answersSchema)?.agents ?? {};
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}

/** Without the project's folder, for example after an `uninstall`, nothing is recorded. */
export function saveAnswers(at: { home: string; key: string }, before: Answers, agents: NonNullable<Answers>): void {
  const file = layout.agentAnswers(at.home, at.key);
  if (JSON.stringify(before) === JSON.stringify(agents) || !fs.existsSync(layout.project(at.home, at.key))) return;
  try {
    if (before === null) fs.rmSync(file, { recursive: true, force: true });
    writeAtomic(file, formatJson({ version: 1, agents }));
  } catch (error) {
    // `doctor` has told what it found, and another user's home isn't this one's to change.
    if (!["EACCES", "EPERM", "EROFS"].some((code) => hasCode(error, code))) throw error;
  }
}

/** The agent's program on PATH and the files on which its answer depends, as they are; undefined: it can't be asked. */
export function aboutAgent({ question }: Target, place: CheckRequest): Omit<Answer, "findings"> | undefined {
  const program = question && findProgram(question.program, place.host.env["PATH"]);
  if (question === undefined || program === undefined) return undefined;
  return { program, files: identifyAll([program, ...question.files(place)]) };
}

/** Whether the agent has to be asked: it can be, and has not said of these very files that it loads the hook. */
export function isUnanswered(answers: Answers, target: Target, place: CheckRequest): boolean {
  const about = aboutAgent(target, place);
  if (about === undefined) return false;
  const answer = answers?.[target.runtime];
  return answer === undefined || answer.findings.length > 0 || !isSame(answer, about);
}

/** Whether the answer is about the files as they are. */
export function isStillAbout({ files }: Answer): boolean {
  return isEqual(files, identifyAll(Object.keys(files)));
}

/** What an agent that isn't asked now said before. Until it is asked again, only it could say that nothing is wrong. */
export function recallFaults(at: { home: string; key: string }, answers: Answers, target: Target): GuardFault[] {
  if (target.question === undefined) return [];
  const title = titleOf(target.runtime);
  if (answers === null) {
    const message = `drwn can't read what ${title} answered when it was asked whether it loads the hook`;
    const subject = layout.agentAnswers(at.home, at.key);
    return [{ comesTo: "hides", finding: faultFinding("agent-answers-damaged", subject, message, drwn("write")) }];
  }
  const answer = answers[target.runtime];
  const [first] = answer?.findings ?? [];
  // A program that is gone runs nothing.
  if (answer === undefined || first === undefined || identify(answer.program) === null) return [];
  if (isStillAbout(answer)) return faultsAmong(answer.findings.map(cleaned));
  const message = `${title} or its settings have changed since drwn asked, and was told: ${clean(first.message, MOST)}`;
  const finding = faultFinding("agent-answer-old", clean(first.subject, MOST), message, drwn("doctor"));
  return [{ comesTo: "opens", finding }];
}

const MOST = 1_000;

function cleaned({ subject, message, hint, ...finding }: Answer["findings"][number]): Finding {
  const text = (one: string) => clean(one, MOST);
  return { ...finding, subject: text(subject), message: text(message), hint: hint === null ? null : text(hint) };
}

function isSame(one: Omit<Answer, "findings">, other: Omit<Answer, "findings">): boolean {
  return one.program === other.program && isEqual(one.files, other.files);
}

function isEqual(one: Answer["files"], other: Answer["files"]): boolean {
  const files = Object.keys(one);
  return files.length === Object.keys(other).length && files.every((file) => one[file] === other[file]);
}

function identifyAll(files: readonly string[]): Answer["files"] {
  return Object.fromEntries(files.map((file) => [file, identify(file)]));
}

/** Whatever replaces or changes a file changes one of these. */
function identify(file: string): string | null {
  try {
    const { ino, size, mtimeNs, ctimeNs } = fs.statSync(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(" ");
  } catch {
    return null;
  }
}
