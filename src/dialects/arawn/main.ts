import fs from "node:fs";
import { readEventArguments, readEventText, whyNotAsked } from "../running/event-program.ts";
import { ARAWN_HOOK_EVENTS } from "./hook/hook.ts";
import { type ArawnOutcome, dispatchArawn } from "./run/dispatcher.ts";
import { openTurnHolds, readArawnPayload } from "./run/payload.ts";

/** To Arawn's older generations any non-zero code is a no; to its newest, only two is. */
const BLOCKED = 2;

/**
 * `drwn hook run --dialect arawn --event E [--root DIR]`: reads one event and answers as a single hook of Arawn's
 * would, so that it can replace all of them. What cannot be judged gets a no.
 */
async function main(): Promise<number> {
  const { event, root } = readEventArguments(ARAWN_HOOK_EVENTS);
  const text = readEventText();
  const places = { root, onNote: say };
  if (event !== "Stop") return answer(await dispatchArawn(event, readArawnPayload(event, text), places));
  const stop = readArawnPayload(event, text);
  const keptGoing = openTurnHolds(root, stop.session_id);
  const outcome = await dispatchArawn(event, { kept_going: keptGoing.count, ...stop }, places);
  keptGoing.note(outcome.outcome === "block");
  return answer(outcome);
}

function answer(outcome: ArawnOutcome): number {
  if (outcome.outcome === "allow") return 0;
  if (outcome.outcome === "info") {
    fs.writeSync(1, `${outcome.output}\n`);
    return 0;
  }
  fs.writeSync(1, `${outcome.reason}\n`);
  fs.writeSync(2, `${outcome.reason}\n`);
  return BLOCKED;
}

function say(text: string): void {
  fs.writeSync(2, `arawn: ${text}\n`);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = answer({ outcome: "block", reason: whyNotAsked(error) });
  },
);
