import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { HOOK_EVENTS, type HookEvent, isHookEvent } from "../../helpers/astrid/events.ts";
import type { HookResult } from "../../helpers/astrid/result.ts";
import { describeFault } from "./describe-fault.ts";
import { HookDispatcher } from "./dispatcher.ts";
import { readPayload } from "./payload.ts";
import { userHooks } from "./places.ts";
import { discoverHooks } from "./read/discover.ts";

/**
 * `drwn hook run --dialect astrid --event E [--root DIR]`: one event in, the verdict of all hooks out, as one command of Astrid's
 * gives it. What cannot be judged is a block, and the code is always 0: with any other one the verdict would not count.
 */
async function main(): Promise<HookResult> {
  const { env } = process;
  const { event, root } = readArguments();
  const context = readPayload(event, fs.readFileSync(0, "utf8"));
  const { hooks, faults } = discoverHooks({
    root,
    extraPaths: [userHooks({ env, home: env["HOME"] || os.homedir() })],
  });
  for (const fault of faults) say(describeFault(fault));
  const dispatcher = new HookDispatcher({ hooks: hooks.map(({ hook }) => hook), faults, root });
  const { result, warnings } = await dispatcher.dispatch(event, context);
  dispatcher.close();
  for (const warning of warnings) say(warning);
  return result;
}

function readArguments(): { event: HookEvent; root: string } {
  const { values } = parseArgs({ options: { event: { type: "string" }, root: { type: "string" } } });
  const { event = "", root = "." } = values;
  if (!isHookEvent(event)) throw new Error(`--event takes one of ${HOOK_EVENTS.join(", ")}`);
  return { event, root: path.resolve(process.cwd(), root) };
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
