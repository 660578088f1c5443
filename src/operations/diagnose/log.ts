import fs from "node:fs";
import { type HookCase, parseCases, printCase } from "../../card/hooks/cases.ts";
import { compileMatcher } from "../../card/matcher.ts";
import { layout } from "../../contract/layout.ts";
import { followCalls } from "../../journal/follow.ts";
import { idOf, type JournalLine } from "../../journal/segments.ts";
import { type CallFilter, eachCall, findCalls, selectCalls } from "../../journal/select.ts";
import { CallCount, type JournalFigures } from "../../journal/stats.ts";
import { type Verification, verifyJournal } from "../../journal/verify.ts";
import { advise, drwn, placeIn, sayIn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { MATCHED_FIELDS } from "../../policy/tools.ts";
import { openProject } from "../../project/open/open-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { type InputLogging, setInputs } from "../preferences.ts";
import { requireEvent } from "./run-event.ts";

/** Conditions as a person types them. */
export interface LogRequest {
  card?: string | undefined;
  /** A matcher, as policies have them. */
  tool?: string | undefined;
  /** A lifecycle event. */
  on?: string | undefined;
  verdict?: string | undefined;
  /** A time in ISO 8601, or how long ago: `90s`, `10m`, `2h`, `3d`. */
  since?: string | undefined;
  isFailed?: boolean | undefined;
}

/** A call with the digits that identify it. */
export type LoggedCall = { id: string } & JournalLine;

/** The project's last calls in the journal. */
export function listCalls(host: Host, request: LogRequest, limit: number): LoggedCall[] {
  return selectCalls(placeOf(host), filterOf(host, request), limit).map(withId);
}

/** Yields calls as the journal gets them, from now on, until the signal. */
export function watchCalls(host: Host, request: LogRequest, signal?: AbortSignal): AsyncGenerator<LoggedCall> {
  const followed = { ...placeOf(host), filter: filterOf(host, request), ...(signal === undefined ? {} : { signal }) };
  return withIds(followCalls(followed));
}

async function* withIds(lines: AsyncGenerator<JournalLine>): AsyncGenerator<LoggedCall> {
  for await (const line of lines) yield withId(line);
}

export function verifyLog(host: Host, expected: string | undefined): Verification {
  if (expected !== undefined && !/^[0-9a-f]{12,64}$/u.test(expected)) {
    throw new Problem("DRWN_CALL_INVALID", `\`${clean(expected, 80)}\` isn't a hash of the journal`, {
      details: ["expected: its first 12 to 64 hexadecimal digits"],
    });
  }
  return verifyJournal({ ...placeOf(host), expected });
}

export function summarizeLog(host: Host, request: LogRequest): JournalFigures {
  const count = new CallCount();
  for (const call of eachCall(placeOf(host), filterOf(host, request))) count.add(call);
  return count.figures();
}

/** The call with this id; without an id, the last one that was denied or asked about. */
export function findCall(host: Host, id: string | undefined): LoggedCall {
  if (id === undefined) {
    const last = listCalls(host, {}, Number.POSITIVE_INFINITY).findLast(({ verdict }) => verdict !== "allow");
    if (last !== undefined) return last;
    throw new Problem("DRWN_CALL_UNKNOWN", `no call of ${placeIn(host.scope)} was denied or asked about`, {
      hint: drwn("log"),
    });
  }
  if (!/^[0-9a-f]{4,64}$/u.test(id)) {
    throw new Problem("DRWN_CALL_INVALID", `\`${clean(id, 80)}\` isn't an id of a call`, {
      details: [
        `expected: the hexadecimal digits that \`${sayIn(host.scope, drwn("log"))}\` shows, at least 4 of them`,
      ],
    });
  }
  const [call, ...others] = findCalls(placeOf(host), id);
  if (call === undefined) {
    throw new Problem("DRWN_CALL_UNKNOWN", `the journal of ${placeIn(host.scope)} has no call ${id}`, {
      hint: drwn("log"),
    });
  }
  if (others.length > 0) {
    throw new Problem("DRWN_CALL_UNKNOWN", `${others.length + 1} calls have an id that begins with ${id}`, {
      details: [call, ...others].map(({ hash, time }) => `${hash.slice(0, 16)} at ${clean(time, 40)}`),
    });
  }
  return withId(call);
}

/** The calls of this journal whose id begins like this. */
export function findCallsHere(host: Host, id: string): LoggedCall[] {
  return findCalls(placeOf(host), id).map(withId);
}

interface LoggedInputs {
  project: string;
  inputs: InputLogging;
}

/** Sets and says which inputs of tools this project's journal keeps, redacted, from the next call on. */
export function keepInputs(host: Host, wanted: InputLogging | undefined): LoggedInputs {
  const { root, key } = openProject(host);
  if (wanted !== undefined) {
    requirePerson(host, "change which inputs the journal keeps", `drwn log --inputs ${wanted}`);
    setInputs(host.drwnHome, key, wanted);
  }
  const isThere = (file: string): boolean => fs.existsSync(file);
  const all = isThere(layout.journalInputs(host.drwnHome, key));
  const none = isThere(layout.journalWithoutInputs(host.drwnHome, key));
  return { project: root, inputs: all ? "keep" : none ? "off" : "denied" };
}

function placeOf(host: Host): { home: string; key: string } {
  return { home: host.notes ?? host.drwnHome, key: openProject(host).key };
}

function withId(line: JournalLine): LoggedCall {
  return { id: idOf(line), ...line };
}

function filterOf(host: Host, { card, tool, on, verdict, since, isFailed }: LogRequest): CallFilter {
  return {
    card,
    verdict,
    isFailed,
    phase: on === undefined ? undefined : requireEvent(on),
    tool: tool === undefined ? undefined : new RegExp(compileMatcher(tool), "u"),
    since: since === undefined ? undefined : parseSince(host.now(), since),
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time, or how long ago, as a person types it. */
export function parseSince(now: Date, text: string): Date {
  const [, count, unit] = /^(\d{1,6})([smhd])$/u.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return new Date(now.getTime() - Number(count) * (UNITS[unit] ?? 0));
  const time = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/u.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time);
  throw new Problem("DRWN_TIME_INVALID", `\`${clean(text, 80)}\` isn't a time`, {
    details: ["expected: 2026-01-31, 2026-01-31T12:00:00Z, or how long ago, as in 90s, 10m, 2h, 3d"],
  });
}

/** A call of the journal as a case: it expects what the hooks said. */
export function saveCase(host: Host, id: string): { case: HookCase; line: string } {
  const call = findCall(host, id);
  const { phase, runtime, tool, verdict, reason, rewritten } = call;
  const expect = verdict === "allow" && rewritten !== undefined ? "rewrite" : verdict;
  const made = {
    id: call.id,
    ...(phase === "pre-tool" || phase === "post-tool" ? { tool, agent: runtime } : {}),
    ...(phase === "pre-tool" ? {} : { phase }),
    input: inputOf(host, call),
    expect,
    ...(reason === undefined || reason.endsWith("…") ? {} : { reason }),
  };
  const [read] = parseCases(Buffer.from(JSON.stringify(made)), `the call ${call.id}`);
  if (read === undefined) throw new Error("a case was lost");
  return { case: read, line: printCase(read) };
}

function inputOf({ notes }: Host, { id, input }: LoggedCall): unknown {
  if (input === undefined) {
    throw new Problem("DRWN_CALL_INVALID", `the journal has no input of the call ${id}`, {
      ...(notes === undefined
        ? { hint: advise`to keep them from the next call on: ${drwn("log", "--inputs", "keep")}` }
        : {}),
    });
  }
  try {
    return JSON.parse(input);
  } catch (cause) {
    throw new Problem("DRWN_CALL_INVALID", `the journal has only a part of the input of the call ${id}`, { cause });
  }
}

/** Fields that say what is asked, the most telling first, for tools that drwn doesn't know. */
const TELLING = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query", "prompt", "input"];

/** What the agent wanted to do: a command, a file, else the input as it is. Null: the journal has no input of this call. */
export function summarizeInput({ tool, input }: Pick<LoggedCall, "input" | "tool">): string | null {
  if (input === undefined) return null;
  const fields = [MATCHED_FIELDS.get(tool), ...TELLING].filter((field) => field !== undefined);
  const text = fields.map((field) => readField(input, field)).find((found) => found !== null) ?? input;
  return filesOfPatch(text) ?? text.trim().replaceAll(/\r?\n/gu, "\\n");
}

/** The shell text of a call that the journal has whole; null: it has none. */
export function commandOfCall({ input = "" }: Pick<LoggedCall, "input">): string | null {
  const command = fieldsOfCall({ input }).find(({ name }) => name === "command")?.value;
  return typeof command === "string" ? command : null;
}

/**
 * Everything that a tool is called with, but the words beside a shell command, which don't count. One field without a
 * name if the text isn't JSON, for example since a secret was replaced.
 */
export function fieldsOfCall({ input = "" }: Pick<LoggedCall, "input">): { name: string; value: unknown }[] {
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
      return Object.entries(parsed).map(([name, value]) => ({ name, value }));
  } catch {
    // Shown as it is.
  }
  return [{ name: "", value: input }];
}

/** The journal keeps only the beginning of a long input, and that isn't JSON any more. */
function readField(input: string, field: string): string | null {
  try {
    const parsed: unknown = JSON.parse(input);
    const value = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, field) : undefined;
    if (Array.isArray(value)) return value.map(String).join(" ");
    return typeof value === "string" && value !== "" ? value : null;
  } catch {
    const [, text] = new RegExp(`[{,]"${field}":"((?:[^"\\\\]|\\\\.)+)`, "u").exec(input) ?? [];
    return text === undefined ? null : (readText(text) ?? text);
  }
}

function readText(inside: string): string | null {
  try {
    return String(JSON.parse(`"${inside}"`));
  } catch {
    return null;
  }
}

function filesOfPatch(text: string): string | null {
  if (!text.includes("*** Begin Patch")) return null;
  const files = [...text.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): ?(.+)$/gmu)];
  return files.length === 0 ? null : files.map(([, file = ""]) => file.trim()).join(", ");
}
