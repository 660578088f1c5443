import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { factsText } from "../../contract/exceptions.ts";
import { layout } from "../../contract/layout.ts";
import { type Exception, type HookFacts, hasPassed, type Ledger } from "../../contract/ledger.ts";
import { isCallAsWritten } from "../../journal/select.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { activeGrant, withExceptions, writeLedger } from "../../trust/ledger-file.ts";
import { appendConsentEvents, type ConsentEvent } from "../../trust/log/consent-log.ts";
import { openProject } from "../../workspace/open-project.ts";
import { requirePerson, requireTerminal } from "../../workspace/require-person.ts";
import { withProject } from "../../workspace/with-project.ts";
import { type PatternCoverage, patternCoverageOf } from "./allow-pattern.ts";
import { type ExceptionDuration, expiryOf, notAllowable } from "./exception-duration.ts";
import { findCall, type LoggedCall, listCalls } from "./log.ts";
import { commandOfCall } from "./summarize-input.ts";

export type { ExceptionDuration } from "./exception-duration.ts";

export interface AllowRequest {
  /** The id of the denied call, as `drwn log` shows it. */
  id: string;
  lasting: ExceptionDuration;
  /** Globs over the words of a shell command; null: exactly the call. */
  like: string | null;
  reason: string;
}

/** What a person has to see before they let a call through. */
export interface AllowableCall {
  /** All of its input is in it. */
  call: LoggedCall;
  /** What a pattern would cover; null: exactly this call. */
  reach: PatternCoverage | null;
}

/** The call as a person would let it through. Nobody can allow what the journal doesn't show. */
export function lookAtCall(host: Host, { id, like }: Pick<AllowRequest, "id" | "like">): AllowableCall {
  requirePersonThere(host, `drwn allow ${clean(id, 64)}`);
  const call = findCall(host, id);
  requireShown(call);
  return { call, reach: like === null ? null : patternOf(like, call) };
}

/** Lets a call past the one hook that denied it; every other hook still judges it. Only a person at a terminal can. */
export async function allowCall(host: Host, request: AllowRequest): Promise<Exception> {
  requirePersonThere(host, `drwn allow ${clean(request.id, 64)}`);
  const line = findCall(host, request.id);
  return withProject(host, ({ ledger, key }) => {
    if (ledger === undefined) throw notAllowable("nothing was consented to in this project");
    if (!isCallAsWritten({ home: host.drwnHome, key }, line.hash)) {
      throw notAllowable(`the line of call ${line.id} in the journal was edited`, ["see: drwn log --verify"]);
    }
    const now = host.now();
    const exception = exceptionFor(line, { ledger, request, now });
    const next = withExceptions(ledger, (one) => !hasPassed(one.expiresAt, now.getTime()), [exception]);
    replaceLedger({ host, key }, next, { what: "allowed", exception, time: now.toISOString() });
    return exception;
  });
}

function requirePersonThere(host: Host, command: string): void {
  requirePerson(host, "let a denied call through", command);
  requireTerminal(host, "let a denied call through", command);
}

/** How many denials are offered to choose from. */
const OFFERED = 10;

/** The last calls that a person could let through, the latest first; a repeated call is listed once. */
export function listAllowable(host: Host): LoggedCall[] {
  requirePersonThere(host, "drwn allow");
  const denied = listCalls(host, { verdict: "deny" }, Number.POSITIVE_INFINITY).filter(
    ({ rule, named, isWhole }) => rule === "deny" && named !== undefined && isWhole === true,
  );
  const lastOfEach = new Map(denied.map((call) => [`${call.by} ${call.named?.digest}`, call]));
  const calls = [...lastOfEach.values()].sort((a, b) => b.time.localeCompare(a.time)).slice(0, OFFERED);
  if (calls.length === 0)
    throw notAllowable("the journal shows no denied call of this project that can have an exception");
  return calls;
}

interface Making {
  ledger: Ledger;
  request: AllowRequest;
  now: Date;
}

function exceptionFor(line: LoggedCall, { ledger, request, now }: Making): Exception {
  const { named: call, by = "" } = line;
  const [, card = "", hook = ""] = /^(@[^@#]+)@[^#]+#(.+)$/u.exec(by) ?? [];
  const facts = factsIn(ledger, card, hook);
  if (call === undefined || line.rule !== "deny") throw notAllowable(`call ${line.id} ${whyNot(line)}`);
  if (facts === undefined) throw notAllowable(`${clean(by, 200)} is no longer what this project consented to`);
  requireShown(line);
  const like = request.like === null ? null : { folder: call.folder, words: patternOf(request.like, line).words };
  return {
    id: randomBytes(6).toString("hex"),
    card,
    hook,
    facts: factsText(facts),
    call: like === null ? call.digest : null,
    like,
    isOnce: request.lasting === "once",
    session: request.lasting === "session" ? requireSession(call.session) : null,
    expiresAt: expiryOf(request.lasting, now),
    reason: requireReason(request.reason),
    at: now.toISOString(),
  };
}

function whyNot({ rule, verdict }: LoggedCall): string {
  if (verdict !== "deny") return "was not denied";
  if (rule === "deny") return "was denied by what holds in every folder, or at a moment that isn't a tool call";
  return "was denied because a policy failed, or drwn could not judge it: that has no exceptions";
}

function factsIn(ledger: Ledger, card: string, hook: string): HookFacts | undefined {
  return activeGrant(ledger, card)
    ?.approved.at(-1)
    ?.hooks.find(({ name }) => name === hook);
}

function requireShown(call: LoggedCall): void {
  if (call.named === undefined || call.rule !== "deny") throw notAllowable(`call ${call.id} ${whyNot(call)}`);
  if (call.input === undefined) {
    throw new Problem(
      "DRWN_EXCEPTION_INVALID",
      `the journal doesn't say what call ${call.id} was, so nobody can allow it`,
      {
        hint: "drwn log inputs denied, then let the agent try it again",
      },
    );
  }
  if (call.isWhole !== true) {
    throw new Problem(
      "DRWN_EXCEPTION_INVALID",
      `the journal shows only a part of call ${call.id}, so nobody can allow it`,
      {
        details: ["it is longer than drwn keeps, or drwn masked a word in it that looks like a secret"],
        hint: "run it yourself if you want it, or let the agent find a way that can be shown",
      },
    );
  }
}

function patternOf(like: string, call: LoggedCall): PatternCoverage {
  const command = call.tool === "Bash" ? commandOfCall(call) : null;
  if (command !== null) return patternCoverageOf(like, command);
  throw notAllowable("a pattern is about the words of a shell command, and this call has none that the journal shows");
}

function requireSession(session: string): string {
  if (session !== "") return session;
  throw notAllowable("this agent doesn't say which session a call belongs to");
}

function requireReason(reason: string): string {
  if (reason.length <= 300 && clean(reason, 300) === reason && !reason.includes("\n")) return reason;
  throw notAllowable("a reason is one line of at most 300 characters");
}

export interface ListedException extends Exception {
  /** How often it let a call through. */
  uses: number;
  state: "holds" | "used-up" | "ended" | "void";
}

export function listExceptions(host: Host): ListedException[] {
  const { key, ledger } = openProject(host);
  return (ledger?.exceptions ?? []).map((exception) => {
    const file = layout.exceptionUses(host.drwnHome, key, exception.id);
    const uses = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    return { ...exception, uses, state: stateOf(exception, { uses, ledger, now: host.now().getTime() }) };
  });
}

function stateOf(
  { card, hook, facts, isOnce, expiresAt }: Exception,
  { uses, ledger, now }: { uses: number; ledger: Ledger | undefined; now: number },
): ListedException["state"] {
  if (hasPassed(expiresAt, now)) return "ended";
  if (isOnce && uses > 0) return "used-up";
  const known = ledger === undefined ? undefined : factsIn(ledger, card, hook);
  return known !== undefined && factsText(known) === facts ? "holds" : "void";
}

/** Takes an exception back. Anybody may, since that only restores a guard. */
export async function removeException(host: Host, id: string): Promise<Exception> {
  return withProject(host, ({ ledger, key }) => {
    const exception = ledger?.exceptions?.find((one) => one.id === id);
    if (ledger === undefined || exception === undefined) {
      throw new Problem("DRWN_EXCEPTION_INVALID", `there is no exception ${clean(id, 40)} in this project`, {
        hint: "drwn allow --list",
      });
    }
    const next = withExceptions(ledger, (one) => one.id !== id);
    replaceLedger({ host, key }, next, { what: "disallowed", exception, time: host.now().toISOString() });
    fs.rmSync(layout.exceptionUses(host.drwnHome, key, id), { force: true });
    return exception;
  });
}

interface Change {
  what: Extract<ConsentEvent["what"], "allowed" | "disallowed">;
  exception: Exception;
  time: string;
}

function replaceLedger({ host, key }: { host: Host; key: string }, ledger: Ledger, change: Change): void {
  const { what, exception, time } = change;
  const { card, expiresAt: until } = exception;
  const nothing = { version: null, tree: null, range: null, mode: null, by: null };
  const description = what === "allowed" ? describeException(exception) : exception.id;
  const sequence = ledger.sequence + 1;
  appendConsentEvents(host.drwnHome, key, [{ ...nothing, sequence, time, what, card, until, exception: description }]);
  writeLedger(host.drwnHome, key, ledger);
}

/** `0123456789ab past push: git push --force origin user/*, once, because "…"` */
export function describeException({ id, hook, call, like, isOnce, session, reason }: Exception): string {
  const what = like === null ? `the call ${(call ?? "").slice(0, 12)}` : like.words.join(" ");
  const how = isOnce ? ", once" : session === null ? "" : ", in one session";
  return `${id} past ${hook}: ${what}${how}${reason === "" ? "" : `, because "${reason}"`}`;
}
