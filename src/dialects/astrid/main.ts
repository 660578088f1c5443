import fs from "node:fs";
import { readEventArguments, readEventText, whyNotAsked } from "../running/event-program.ts";
import { dispatchAstrid, readAstridPayload } from "./run/dispatcher.ts";
import { ASTRID_HOOK_EVENTS } from "./words/hook.ts";
import type { HookResult } from "./words/result.ts";

/**
 * `drwn hook run --dialect astrid --event E [--root DIR]`: reads one event and prints the verdict of all hooks, as one
 * command of Astrid's would. What cannot be judged is a block. The exit code is always 0, since with any other the
 * verdict would not count.
 */
async function main(): Promise<HookResult> {
  const { event, root } = readEventArguments(ASTRID_HOOK_EVENTS);
  const context = readAstridPayload(event, readEventText());
  const { result, warnings } = await dispatchAstrid(event, context, { root });
  for (const warning of warnings) say(warning);
  return result;
}

function say(text: string): void {
  fs.writeSync(2, `astrid: ${text}\n`);
}

function answer(result: HookResult): void {
  fs.writeSync(1, `${JSON.stringify(result)}\n`);
}

main().then(answer, (error: unknown) => {
  const reason = whyNotAsked(error);
  say(reason);
  answer({ action: "block", reason });
});
