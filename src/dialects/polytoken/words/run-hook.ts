import { type CommandResult, runCommand } from "../../../helpers/handlers/command.ts";
import { isMapping } from "../../../helpers/is-type.ts";
import { inputOfCall, type PolytokenCall, variablesOf } from "./call.ts";
import {
  type ErrorOutcome,
  isAwaited,
  type OutcomeShape,
  POLYTOKEN_EVENTS,
  type PolytokenEvent,
  type PolytokenOutcome,
} from "./events.ts";

/** One hook, as Polytoken's files have it. */
export interface PolytokenHook {
  /** The name in logs and in `POLYTOKEN_HANDLER_NAME`. */
  name: string;
  event: PolytokenEvent;
  /** A glob for the tool, the type of subagent, or the event's own name. Absent: it fires on every instance. */
  matcher?: string;
  handler: {
    /** A Bash script. It gets the event on standard input, and answers with what it prints or with its exit code. */
    bash: string;
  };
}

/** The process around the handlers. */
export interface HandlerContext {
  env: Readonly<Record<string, string | undefined>>;
  cwd?: string | undefined;
  timeoutMs: number;
  /** Whoever supervises this process ends its whole process group. */
  isSupervised?: boolean;
}

/** After how many milliseconds a handler is stopped by default. */
export const DEADLINE_MS = 30_000;

const MOST_OUTPUT = 1024 * 1024;

/** Runs the hook's script and says what its end means. Never throws: whatever goes wrong is an error outcome. */
export async function runPolytokenHook(
  hook: PolytokenHook,
  call: PolytokenCall,
  place: HandlerContext,
): Promise<PolytokenOutcome> {
  const end = await runCommand({
    command: "bash",
    args: ["-c", hook.handler.bash],
    input: inputOfCall(call),
    env: definedOf({ ...place.env, ...variablesOf(call, hook.name) }),
    ...(place.cwd === undefined ? {} : { cwd: place.cwd }),
    isSupervised: place.isSupervised === true,
    timeoutMs: place.timeoutMs,
    maxOutputBytes: MOST_OUTPUT,
  });
  return decodeResult(call.event, end);
}

function definedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) defined[name] = value;
  return defined;
}

/** What a handler's end means for its event: one of the event's outcomes, or an error. */
export function decodeResult(event: PolytokenEvent, end: CommandResult): PolytokenOutcome {
  if (end.kind === "timeout") return failure("it did not finish in time and was stopped");
  if (end.kind === "unstartable") return failure(`it cannot be started: ${end.reason}`);
  const { code, signal, stdout, stderr } = end;
  if (code === null) return failure(`it was ended by ${signal ?? "a signal"}`);
  if (code === 2 && POLYTOKEN_EVENTS[event].stop !== null)
    return stopOutcome(event, { stdout: stdout.trim(), stderr: stderr.trim() });
  if (code !== 0) return failure(`it exited with code ${code}${said(stderr)}`);
  if (!isAwaited(event)) return readReport(stdout) ?? proceedOutcome(event);
  if (end.truncated) return failure("it printed more than is read");
  return stdout.trim() === "" ? proceedOutcome(event) : readOutcome(event, stdout);
}

function failure(message: string): ErrorOutcome {
  return { outcome: "error", message };
}

function said(stderr: string): string {
  const text = stderr.trim();
  return text === "" ? "" : `: ${text}`;
}

export function proceedOutcome(event: PolytokenEvent, text?: string): PolytokenOutcome {
  const { proceed, text: field } = POLYTOKEN_EVENTS[event];
  return asOutcome({ outcome: proceed, ...(field === null || text === undefined ? {} : { [field]: text }) });
}

/** The outcome of a script that decided with its exit code: what it printed, in whatever form, is the reason. */
function stopOutcome(event: PolytokenEvent, { stdout, stderr }: { stdout: string; stderr: string }): PolytokenOutcome {
  const { stop, outcomes } = POLYTOKEN_EVENTS[event];
  const tag = stop ?? "";
  const captured = outcomes[tag]?.fields.includes("stdout") === true;
  return asOutcome({
    outcome: tag,
    reason: stdout || stderr || defaultReason(tag),
    ...(captured && stdout !== "" ? { stdout } : {}),
    ...(captured && stderr !== "" ? { stderr } : {}),
  });
}

function defaultReason(tag: string): string {
  return `the hook answered ${tag} and gave no reason`;
}

/** Even a script whose answer nobody waits for can say that it failed. */
function readReport(stdout: string): ErrorOutcome | undefined {
  const value = parse(stdout);
  return isMapping(value) && value["outcome"] === "error" ? readError(value) : undefined;
}

/** Accepts exactly one JSON object, with an outcome of this event and only that outcome's fields. */
function readOutcome(event: PolytokenEvent, stdout: string): PolytokenOutcome {
  const value = parse(stdout);
  if (!isMapping(value)) return failure("it printed something other than one JSON object");
  const tag = value["outcome"];
  if (typeof tag !== "string") return failure("its answer has no `outcome`");
  if (tag === "error") return readError(value);
  const { outcomes } = POLYTOKEN_EVENTS[event];
  const shape = Object.hasOwn(outcomes, tag) ? outcomes[tag] : undefined;
  if (shape === undefined) {
    return failure(`${event} has no outcome ${quote(tag)}; it has ${Object.keys(outcomes).join(", ")} and error`);
  }
  const fault = findFieldFault(value, shape.fields);
  if (fault !== undefined) return failure(`its outcome ${tag} ${fault}`);
  if (namesTwice(value, stdout)) return failure("its answer names a field twice");
  return asOutcome({ ...(needsReason(shape) ? { reason: defaultReason(tag) } : {}), ...value });
}

function readError(value: Readonly<Record<string, unknown>>): ErrorOutcome {
  const fault = findFieldFault(value, ["message"]);
  if (fault !== undefined) return failure(`its outcome error ${fault}`);
  return failure(typeof value["message"] === "string" ? value["message"] : "it gave no message");
}

function findFieldFault(value: Readonly<Record<string, unknown>>, known: readonly string[]): string | undefined {
  for (const [field, content] of Object.entries(value)) {
    if (field === "outcome") continue;
    if (!known.includes(field)) return `has the unknown field ${quote(field)}`;
    if (typeof content !== "string") return `has a ${quote(field)} that isn't text`;
  }
  return undefined;
}

/** Whether an object of only texts names a field twice: the parsed object shows just the last one. */
function namesTwice(value: object, printed: string): boolean {
  return printed.match(/"(?:[^"\\]|\\.)*"/gu)?.length !== 2 * Object.keys(value).length;
}

/** A stop without a reason remains a stop: an error would let a rejected prompt through. */
function needsReason({ effect }: OutcomeShape): boolean {
  return effect === "stop";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

/** The tables of events, which make these objects, state the same facts as the types. */
function asOutcome(outcome: object): PolytokenOutcome {
  return outcome as PolytokenOutcome;
}
