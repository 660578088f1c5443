import fs from "node:fs";
import { parseArgs } from "node:util";
import { dispatchAstrid } from "./run/dispatch.ts";
import { readAstridPayload } from "./run/payload.ts";
import { ASTRID_HOOK_EVENTS, type AstridEvent, isAstridEvent } from "./words/events.ts";
import type { HookResult } from "./words/result.ts";

/**
 * `drwn hook run --dialect astrid --event E [--root DIR]`: one event in, the verdict of all hooks out, as one command of Astrid's
 * gives it. What cannot be judged is a block, and the code is always 0: with any other one the verdict would not count.
 */
async function main(): Promise<HookResult> {
  const { event, root } = readArguments();
  const context = readAstridPayload(event, fs.readFileSync(0, "utf8"));
  const { result, warnings } = await dispatchAstrid(event, context, { root });
  for (const warning of warnings) say(warning);
  return result;
}

function readArguments(): { event: AstridEvent; root: string } {
  const { values } = parseArgs({ options: { event: { type: "string" }, root: { type: "string" } } });
  const { event = "", root = "." } = values;
  if (!isAstridEvent(event)) throw new Error(`--event takes one of ${ASTRID_HOOK_EVENTS.join(", ")}`);
  return { event, root };
}

function say(text: string): void {
  fs.writeSync(2, `astrid: ${text}\n`);
}

function answer(result: HookResult): void {
  fs.writeSync(1, `${JSON.stringify(result)}\n`);
}

main().then(answer, (error: unknown) => {
  const reason = `hooks cannot be asked: ${error instanceof Error ? error.message : String(error)}`;
  say(reason);
  answer({ action: "block", reason });
});
