import fs from "node:fs";
import { layout } from "../../contract/layout.ts";
import * as z from "../../format/zod.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { isTracing, trace } from "../../kernel/trace.ts";
import { isLifecycleEvent, type LifecycleEvent, powersOf } from "../../policy/taxonomy.ts";
import { type LauncherResult, runLauncher } from "../../wiring/run-launcher.ts";
import { traceCall, tracedCall } from "./traced-call.ts";

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
export type EventAnswer = z.infer<typeof answerSchema>;

export interface EventRequest {
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
    hint: "docs/reference/lifecycle.md lists them; tool calls: drwn hook explain --tool <name>",
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
