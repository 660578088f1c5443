import fs from "node:fs";
import path from "node:path";
import { clean } from "../../kernel/text.ts";
import { parseEvent, readEventArguments, readEventText } from "../running/event-program.ts";
import { type Firing, PolytokenDispatcher } from "./run/dispatcher.ts";
import { type SessionFacts, sessionFrom } from "./words/call.ts";
import { POLYTOKEN_HOOK_EVENTS, type PolytokenEvent } from "./words/events.ts";

/** Set for the handlers: a handler that called this program again would never end. */
const RUNNING = "DRWN_POLYTOKEN_RUNS";

/**
 * `drwn hook run --dialect polytoken --event E [--root DIR]`: reads one event and prints its outcome. Ends with 1,
 * which is an error to Polytoken, if the hooks cannot be loaded or the event cannot be judged.
 */
async function main(): Promise<void> {
  if (process.env[RUNNING] !== undefined) throw new Error("a hook that drwn runs asks drwn to run the hooks again");
  const { event, root: asked } = readEventArguments(POLYTOKEN_HOOK_EVENTS, process.env["POLYTOKEN_PROJECT_DIR"] || ".");
  const root = path.resolve(asked);
  const fields = readPayload(event);
  const dispatcher = new PolytokenDispatcher({ root, env: { ...process.env, [RUNNING]: "1" } });
  const { outcome, firings, settled } = await dispatcher.dispatch(event, {
    ...fields,
    session: sessionOf(fields, root),
  });
  // A caller that doesn't wait for the hooks gets its answer before they have ended.
  fs.writeSync(1, `${JSON.stringify(outcome)}\n`);
  report(firings.length > 0 ? firings : await settled);
}

function readPayload(event: PolytokenEvent): Readonly<Record<string, unknown>> {
  const payload = parseEvent(readEventText());
  if (payload["event"] === undefined || payload["event"] === event) return payload;
  throw new Error(`the event on standard input is ${JSON.stringify(payload["event"])}, and ${event} was asked for`);
}

/** The event's own facts win over what Polytoken put into the environment. */
function sessionOf(fields: Readonly<Record<string, unknown>>, root: string): SessionFacts {
  const id = fields["session_id"];
  const known = sessionFrom(process.env);
  // Polytoken also knows projects that it hasn't registered.
  const projectPath = known.projectPath ?? (known.projectDir === undefined ? root : undefined);
  return { ...known, projectDir: root, projectPath, ...(typeof id === "string" ? { sessionId: id } : {}) };
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
