import type { Capability } from "../../contract/plan.ts";
import { exitNow, now, parseJson } from "../../hook-base/primordials.ts";
import { writeAll } from "../../hook-base/write.ts";
import type { EventPowers } from "../../policy/lifecycle-events.ts";
import { confineProcess } from "../run/confine.ts";
import { createRequire } from "../run/modules.ts";
import { failure, type PolicyAnswer, readOutcome } from "../run/policy-answer.ts";
import { type Callback, callPolicy, type PolicyCode, readerFor } from "../run/policy-code.ts";
import { startPolicyHost } from "../run/policy-host.ts";
import { describeThrown, endIfAnswered, failRun, newRun, type PolicyHost, startRun } from "../run/policy-run.ts";
import type { TimeLimiter } from "../run/time-limit.ts";
import { BEGUN, printAnswer, readMessage } from "./messages.ts";
import { ANSWER_FD } from "./spawn-worker.ts";

/** The first message of the supervising process. It comes from our own code. */
interface Order {
  nonce: string;
  policies: { name: string; code: string }[];
  capabilities: Capability[];
}

/** The messages that follow, one at a time. */
interface Question {
  policy: number;
  callback: Callback;
  event: string;
  powers: EventPowers | null;
  timeoutMs: number;
}

/**
 * Runs a worker: it reads one order and then questions from standard input, and puts the order's nonce before each
 * answer.
 */
export function servePolicies(): void {
  process.exitCode = 2;
  const order = JSON.parse(readMessage() ?? "") as Order;
  const require = createRequire(order.capabilities);
  const policies = order.policies.map(({ name, code }): PolicyCode => ({ name, code, require, exported: null }));
  const policyHost = order.capabilities.length === 0 ? startPolicyHost() : startOutwardPolicyHost(order.capabilities);
  const say = (text: string): void => writeAll(ANSWER_FD, `${order.nonce}${text}\n`);

  const answer = ({ policy, timeoutMs, callback, event, powers }: Question): PolicyAnswer | null => {
    const code = policies[policy];
    if (code === undefined) return failure("is not in its process");
    const run = newRun(timeoutMs, now() + timeoutMs);
    const read = powers === null ? readerFor(callback) : (returned: unknown) => readOutcome(powers, returned);
    const answered = startRun(policyHost, run, () => callPolicy(policyHost, run, code, { callback, event, read }));
    run.onEnd = (late) => {
      say(printAnswer(late));
      serve();
    };
    return answered;
  };
  const serve = (): void => {
    for (;;) {
      const message = readMessage();
      if (message === null) {
        exitNow(0);
        return;
      }
      say(BEGUN);
      const answered = answer(parseJson(message) as Question);
      if (answered === null) return;
      say(printAnswer(answered));
    }
  };
  serve();
}

/**
 * No guard sees the turns in which real input and output arrive, so the supervising process stops this one at the
 * deadline.
 */
const UNGUARDED: TimeLimiter = {
  run(work) {
    work();
    return true;
  },
  isRunning: () => false,
};

function startOutwardPolicyHost(capabilities: readonly Capability[]): PolicyHost {
  const policyHost: PolicyHost = { limiter: UNGUARDED, run: null };
  const { nextTick } = process;
  process.setUncaughtExceptionCaptureCallback((error) => {
    const { run } = policyHost;
    if (run === null) return;
    failRun(run, describeThrown(error));
    endIfAnswered(policyHost, run);
  });
  confineProcess({
    onEnding: (name) => {
      if (policyHost.run !== null) failRun(policyHost.run, `called process.${name}`);
    },
    env: process.env,
    nextTick: (callback, ...given) => nextTick(callback as () => void, ...given),
    isOutwardAllowed: capabilities.includes("net"),
    isAssemblyAllowed: capabilities.includes("wasm"),
  });
  return policyHost;
}
