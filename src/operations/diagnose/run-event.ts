import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { layout } from "../../contract/layout.ts";
import { DIALECTS } from "../../dialects/dialects.ts";
import { packageFile } from "../../kernel/files.ts";
import * as z from "../../kernel/format/zod.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { isTracing, trace, traceProcess } from "../../kernel/trace.ts";
import { isLifecycleEvent, type LifecycleEvent, powersOf } from "../../policy/lifecycle-events.ts";
import { type LauncherResult, runLauncher } from "../../wiring/run-launcher.ts";

const answerSchema = z.object({
  event: z.string(),
  level: z.enum(["none", "proceed", "ask", "hold"]),
  code: z.string().optional(),
  reason: z.string().optional(),
  context: z.string().optional(),
  updatedInput: z.unknown().optional(),
  notice: z.string().optional(),
});

/** What the lifecycle hooks in force say about one event, in the words of the verdict algebra. */
type EventAnswer = z.infer<typeof answerSchema>;

interface EventRequest {
  /** An event by its canonical name. */
  event: string;
  /** JSON text of the event's input. */
  input: string;
}

/**
 * Asks the lifecycle hooks in force about an event, through the launcher and the hook process, even if no agent reports
 * that event. If the hook cannot judge, an event that can be held is held.
 */
export async function runEvent(host: Host, { event: name, input }: EventRequest): Promise<EventAnswer> {
  const event = requireEvent(name);
  if (!fs.existsSync(layout.launcher(host.drwnHome))) {
    throw new Problem("DRWN_PLAN_NOT_WRITTEN", "no hook is in force on this machine", { hint: "drwn write" });
  }
  const sent = Buffer.from(JSON.stringify({ input: parseInput(input), cwd: host.cwd }));
  const env = { ...host.env, CLAUDE_PROJECT_DIR: undefined };
  const words = isTracing() ? ["runner", event, "trace"] : ["runner", event];
  const ended = await runLauncher({
    program: layout.launcher(host.drwnHome),
    args: words,
    cwd: host.cwd,
    env,
    event: sent,
  });
  const answer = readAnswer(event, ended);
  if (ended.line !== "") traceCall(tracedCall.parse(JSON.parse(ended.line)));
  trace("decide", () => `${event}: ${answer.level}`);
  return answer;
}

function readAnswer(event: LifecycleEvent, ended: LauncherResult): EventAnswer {
  if (ended.exitCode === 0) {
    return ended.stdout === "" ? { event, level: "none" } : answerSchema.parse(JSON.parse(ended.stdout));
  }
  const reason = clean(ended.stderr.trim() || "the hook did not answer", 2_000);
  const { hold } = powersOf(event);
  return hold === null ? { event, level: "none", notice: reason } : { event, level: "hold", code: hold, reason };
}

export function requireEvent(name: string): LifecycleEvent {
  if (isLifecycleEvent(name) && name !== "tool.before") return name;
  throw new Problem("DRWN_EVENT_INVALID", `\`${clean(name, 80)}\` isn't an event of a lifecycle hook`, {
    hint: "docs/reference/lifecycle.md lists them; tool calls: drwn explain --tool <name>",
  });
}

function parseInput(text: string): object {
  const about = { details: [clean(text, 200)] };
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw new Problem("DRWN_EVENT_INVALID", "the event's input is not JSON", { ...about, cause });
  }
  throw new Problem("DRWN_EVENT_INVALID", "the event's input isn't a JSON object", about);
}

/** Systems whose hooks drwn runs as they are. */
export const DIALECT_NAMES: readonly string[] = DIALECTS.flatMap(({ name, program }) =>
  program === undefined ? [] : [name],
);

interface DialectRun {
  name: string;
  /** For a dialect whose program needs the event's name. */
  event: string | undefined;
  root: string | undefined;
}

/** Answers one event from standard input on standard output, as that system does; returns its exit code. */
export function runDialect(host: Host, { name, event, root }: DialectRun): number {
  const dialect = DIALECTS.find((one) => one.name === name);
  const given = Object.entries({ event, root }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, value],
  );
  if (dialect?.isToldEvent === true && event === undefined)
    throw usage(`${name} needs the name of the event: --event NAME`);
  if (dialect?.isToldEvent !== true && given.length > 0) throw usage(`the events of ${name} name themselves`);
  const program = packageFile(dialect?.program ?? "");
  const ended = traceProcess(host.nodePath, [program, ...given]);
  const { status } = spawnSync(host.nodePath, [program, ...given], { cwd: host.cwd, stdio: "inherit" });
  ended(status);
  return status ?? 1;
}

export function usage(message: string): Problem {
  return new Problem("DRWN_USAGE", message, { hint: "drwn hook run --help" });
}

/** The outcome of a policy that was asked. */
export const tracedPolicy = z.object({
  policy: z.string(),
  kind: z.string(),
  mode: z.string().optional(),
  decision: z.string().optional(),
  failure: z.string().optional(),
  carried: z.string().optional(),
  ms: z.number(),
  applied: z.boolean(),
});

/** What the hook process tells a listening command about one event. */
export const tracedCall = z.object({
  /** The digest of the plan; "": there is none, it is damaged or paused. */
  plan: z.string(),
  /** When consents and plan were verified, in milliseconds since the process started. */
  verified: z.number(),
  tool: z.string().nullable(),
  policies: z.array(tracedPolicy),
  verdict: z.string(),
  effective: z.string(),
  rule: z.string().optional(),
  by: z.string().optional(),
  problem: z.string().optional(),
  ms: z.number(),
});

/** Traces what the hook process did: what it verified, which policies it asked, for how long, and what it answered. */
export function traceCall({
  plan,
  verified,
  policies,
  effective,
  rule,
  by,
  problem,
  ms,
}: z.infer<typeof tracedCall>): void {
  const read = plan === "" ? "consents read" : `plan ${plan} verified`;
  trace("decide", () => `hook process, ${verified} ms after it started: ${read}`);
  for (const { policy, decision, failure = "", carried, applied, ms: took } of policies) {
    const became = carried === undefined ? "" : `, carried as ${carried}`;
    const effect = applied ? "" : ", without effect";
    trace("decide", () => `${policy}: ${decision ?? `failed: ${failure}`}, after ${took} ms${became}${effect}`);
  }
  const why = [rule, by].filter((word) => word !== undefined).join(" by ");
  const trouble = problem === undefined ? "" : `: ${problem}`;
  trace(
    "decide",
    () => `hook process, ${ms} ms after it started: ${effective}${why === "" ? "" : ` (${why})`}${trouble}`,
  );
}
