import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { isMapping } from "../../helpers/guards.ts";
import { clean } from "../../kernel/text.ts";
import type { Firing } from "./run/dispatch.ts";
import { PolytokenDispatcher } from "./run/dispatcher.ts";
import { type SessionFacts, sessionFrom } from "./words/call.ts";
import { isPolytokenEvent, POLYTOKEN_HOOK_EVENTS, type PolytokenEvent } from "./words/events.ts";

/** Set for the handlers: one of them that called this program would never come to an end. */
const RUNNING = "DRWN_POLYTOKEN_RUNS";

/**
 * `drwn hook run --dialect polytoken --event E [--root DIR]`: one event in, its outcome out. Ends with 1, which is an error to
 * Polytoken, where the hooks cannot be loaded or the event cannot be judged.
 */
async function main(): Promise<void> {
  if (process.env[RUNNING] !== undefined) throw new Error("a hook that drwn runs asks drwn to run the hooks again");
  const { event, root } = readArguments();
  const fields = readPayload(event);
  const dispatcher = new PolytokenDispatcher({ root, env: { ...process.env, [RUNNING]: "1" } });
  const { outcome, firings, settled } = await dispatcher.dispatch(event, {
    ...fields,
    session: sessionOf(fields, root),
  });
  // Who does not wait for the hooks has its answer before they have ended.
  fs.writeSync(1, `${JSON.stringify(outcome)}\n`);
  report(firings.length > 0 ? firings : await settled);
}

function readArguments(): { event: PolytokenEvent; root: string } {
  const { values } = parseArgs({ options: { event: { type: "string" }, root: { type: "string" } } });
  const { event = "", root = process.env["POLYTOKEN_PROJECT_DIR"] || "." } = values;
  if (!isPolytokenEvent(event)) throw new Error(`--event takes one of ${POLYTOKEN_HOOK_EVENTS.join(", ")}`);
  return { event, root: path.resolve(process.cwd(), root) };
}

function readPayload(event: PolytokenEvent): Readonly<Record<string, unknown>> {
  const text = fs.readFileSync(0, "utf8");
  const payload: unknown = text.trim() === "" ? {} : JSON.parse(text);
  if (!isMapping(payload)) throw new Error("the event on standard input isn't a JSON object");
  if (payload["event"] === undefined || payload["event"] === event) return payload;
  throw new Error(`the event on standard input is ${JSON.stringify(payload["event"])}, and ${event} was asked for`);
}

/** What the event itself says wins over what Polytoken put into the environment. */
function sessionOf(fields: Readonly<Record<string, unknown>>, root: string): SessionFacts {
  const id = fields["session_id"];
  return { ...sessionFrom(process.env), projectDir: root, ...(typeof id === "string" ? { sessionId: id } : {}) };
}

function report(firings: readonly Firing[]): void {
  for (const { hook, file, line, outcome } of firings) {
    if (outcome.outcome !== "error") continue;
    fs.writeSync(2, `polytoken: ${clean(`${file}, line ${line}: hook ${hook}: ${outcome.message}`, 2000)}\n`);
  }
}

main().catch((error: unknown) => {
  fs.writeSync(2, `polytoken: ${clean(error instanceof Error ? error.message : String(error), 2000)}\n`);
  process.exitCode = 1;
});
