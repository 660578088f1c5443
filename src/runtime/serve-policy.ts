import type { Capability } from "../contract/plan.ts";
import type { Answer } from "./answer-of-policy.ts";
import { ANSWER_FD } from "./child-policy.ts";
import { confineProcess } from "./confine.ts";
import { describeThrown } from "./describe-thrown.ts";
import type { Guard } from "./guard.ts";
import { createRequire } from "./modules.ts";
import { callPolicy } from "./policy-code.ts";
import { endIfAnswered, failRun, newRun, type Stage, startRun } from "./policy-run.ts";
import { exitNow, now, quoteJson } from "./primordials.ts";
import { readInput } from "./read-input.ts";
import { writeAll } from "./write.ts";

const LARGEST_ORDER = 256 * 1024 * 1024;

/** What the hook process asks of a policy's process; it comes from our own code. */
interface Order {
  nonce: string;
  name: string;
  code: string;
  capabilities: Capability[];
  callback: "beforeToolCall" | "afterToolCall";
  event: string;
  timeoutMs: number;
}

/** The hook process stops this one at the deadline. */
const UNGUARDED: Guard = {
  run(work) {
    work();
    return true;
  },
  isRunning: () => false,
};

/** The life of a policy's own process: one order on standard input, one answer behind the order's nonce, the end. */
export function servePolicy(): void {
  process.exitCode = 2;
  const order = JSON.parse(readInput(LARGEST_ORDER).toString("utf8")) as Order;
  const stage: Stage = { guard: UNGUARDED, run: null };
  const run = newRun(order.timeoutMs, now() + order.timeoutMs);
  const require = createRequire(order.capabilities);
  run.onEnd = (answer) => {
    writeAll(ANSWER_FD, order.nonce + frameOf(answer));
    exitNow(0);
  };
  const { nextTick } = process;
  process.setUncaughtExceptionCaptureCallback((error) => {
    failRun(run, describeThrown(error));
    endIfAnswered(stage, run);
  });
  confineProcess({
    onEnding: (name) => failRun(run, `called process.${name}`),
    env: process.env,
    nextTick: (callback, ...given) => nextTick(callback as () => void, ...given),
    isOutwardAllowed: order.capabilities.includes("net"),
  });
  startRun(stage, run, () => {
    callPolicy(stage, run, { name: order.name, code: order.code, require, exported: null }, order);
  });
}

function frameOf({ action, reason, context, updatedInput, syntheticOutput }: Answer): string {
  const field = (name: string, text: string | null): string => (text === null ? "" : `,"${name}":${quoteJson(text)}`);
  const texts = `${field("context", context)}${field("updatedInput", updatedInput)}`;
  return `{"action":"${action}","reason":${quoteJson(reason)}${texts}${field("syntheticOutput", syntheticOutput)}}`;
}
