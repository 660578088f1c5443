import { isUtf8 } from "node:buffer";
import { resolve } from "node:path";
import { decodeBytes, exitNow } from "../../../hook-base/primordials.ts";
import { readInput } from "../../../hook-base/read-input.ts";
import { isRecord } from "../../../hook-base/shape.ts";
import { writeAll, writeSome } from "../../../hook-base/write.ts";
import { answerFor } from "./answer.ts";
import { deadlineOf, type HookerCall, Warnings } from "./call.ts";
import { findRoots, loadDotEnv, loadPolicies } from "./load.ts";
import { strip } from "./ruby-text.ts";

const MOST_INPUT = 256 * 1024 * 1024;

/** hooker: reads one event and prints its answer. If something goes wrong, the call goes ahead with a warning. */
function main(): number {
  const bytes = readInput(MOST_INPUT);
  const text = decodeBytes(bytes);
  if (strip(text) === "") return 0;
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (error) {
    writeSome(2, `hooker: invalid JSON input: ${error instanceof Error ? error.message : ""}\n`);
    return 0;
  }
  if (typeof event === "string") return 0;
  if (!isRecord(event)) throw new TypeError("the event isn't an object");
  const answer = answerEvent(event, !isUtf8(bytes));
  if (answer !== "") writeAll(1, answer);
  return 0;
}

function answerEvent(event: Readonly<Record<string, unknown>>, isDamaged: boolean): string {
  const cwd = event["cwd"] ?? process.cwd();
  if (typeof cwd !== "string") throw new TypeError("cwd isn't text");
  const env = { ...process.env };
  const eventName = event["hook_event_name"] ?? null;
  const call: HookerCall = { event, eventName, isDamaged, warnings: new Warnings(), env, left: deadlineOf(env) };
  const roots = findRoots(resolve(cwd));
  const deepest = roots.at(-1);
  if (deepest === undefined) return "";
  const policies = loadPolicies(roots, call);
  loadDotEnv(deepest.folder, call);
  return answerFor(policies, call);
}

/** hooker ends with 1 if its own code fails; to an agent that isn't a block. */
function run(): number {
  try {
    return main();
  } catch (error) {
    writeSome(2, `hooker: ${error instanceof Error ? `${error.name}: ${error.message}` : ""}\n`);
    return 1;
  }
}

exitNow(run());
