import { constants, fstatSync, openSync, renameSync } from "node:fs";
import { layout } from "../contract/layout.ts";
import type { Answer } from "./answer-of-policy.ts";
import type { PreparedPolicy } from "./prepare.ts";
import { now, quoteJson, round } from "./primordials.ts";
import type { Place } from "./read-file.ts";
import { cleanLine } from "./text.ts";
import { writeSome } from "./write.ts";

const LARGEST = 10 * 1024 * 1024;
const MAXIMUM_FAILURE = 300;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** One line about one call, built up while the call is decided. Inputs and reasons are not in it. */
export interface Journal {
  /** Null: nothing can be written, and that decides nothing. */
  fd: number | null;
  /** JSON text up to the list of policies. */
  head: string;
  policies: string;
}

export interface JournaledCall {
  runtime: string;
  phase: string;
  tool: string | null;
}

/** Opened before any policy runs. A full journal is put aside, replacing the one that was put aside before. */
export function openJournal({ home, key }: Place, call: JournaledCall): Journal {
  const head = JSON.stringify({ time: new Date().toISOString(), ...call }).slice(0, -1);
  return { fd: openFile(layout.journal(home, key)), head, policies: "" };
}

export interface JournaledAnswer {
  answer: Answer;
  /** What the agent could carry of it. */
  carried: Answer["action"];
  isApplied: boolean;
  /** When the policy was asked, in milliseconds since the process started. */
  begun: number;
}

export function noteAnswer(
  journal: Journal,
  { name, kind, mode, bundle }: PreparedPolicy,
  { answer, carried, isApplied, begun }: JournaledAnswer,
): void {
  const said =
    answer.action === "failure"
      ? `"failure":${quoteJson(cleanLine(answer.reason, MAXIMUM_FAILURE))}`
      : `"decision":"${answer.action}"`;
  const became = carried === answer.action ? "" : `,"carried":"${carried}"`;
  const who = `"policy":${quoteJson(name)},"kind":"${kind}","mode":"${mode}","bundle":"${bundle}"`;
  const entry = `{${who},${said}${became},"ms":${tenths(now() - begun)},"applied":${isApplied ? "true" : "false"}}`;
  journal.policies += journal.policies === "" ? entry : `,${entry}`;
}

export interface JournaledEnd {
  verdict: string;
  effective: string;
  /** What was wrong with the call itself, or with the state of the project. */
  problem: string | null;
}

export function writeJournal({ fd, head, policies }: Journal, { verdict, effective, problem }: JournaledEnd): void {
  if (fd === null) return;
  const outcome = `"verdict":"${verdict}","effective":"${effective}"`;
  const trouble = problem === null ? "" : `,"problem":${quoteJson(cleanLine(problem, MAXIMUM_FAILURE))}`;
  writeSome(fd, `${head},"policies":[${policies}],${outcome}${trouble},"ms":${tenths(now())}}\n`);
}

function openFile(file: string): number | null {
  const flags = O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK | O_NOFOLLOW;
  try {
    const fd = openSync(file, flags, 0o600);
    if (fstatSync(fd).size < LARGEST) return fd;
    renameSync(file, file.replace(/\.jsonl$/u, ".1.jsonl"));
    return openSync(file, flags, 0o600);
  } catch {
    return null;
  }
}

function tenths(milliseconds: number): number {
  return round(milliseconds * 10) / 10;
}
