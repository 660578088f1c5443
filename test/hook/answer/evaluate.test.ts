import { expect, test } from "vitest";
import { claudeCode } from "../../../src/agents/claude-code/adapter.ts";
import { type CallEvaluation, evaluateInOrder, type PolicyEvaluation } from "../../../src/hook/answer/evaluate.ts";
import type { SharedTimeLimiter } from "../../../src/hook/run/time-limit.ts";
import type { PreparedPolicy } from "../../../src/hook/verify/read-policy.ts";
import { now } from "../../../src/hook-base/primordials.ts";
import { somePrepared } from "../../support/policies.ts";

// A watch of node:vm can end anywhere: the machine may have slept meanwhile, or a policy hits its last moment.

type Watch = SharedTimeLimiter["watch"];

const CALLBACKS: Record<string, () => unknown> = {
  quick: () => ({ action: "log-only" }),
  waits: () => new Promise((done) => setTimeout(done, 5)),
  never: () => new Promise(() => {}),
};

function prepare(hook: string): PreparedPolicy {
  const code = (exports: unknown): void => {
    Object.assign(exports as object, { default: { beforeToolCall: CALLBACKS[hook] } });
  };
  return somePrepared({
    label: hook,
    name: hook,
    kind: "observer",
    timeoutMs: 1_000,
    program: { where: "here", code: { name: hook, code, require: () => undefined, exported: null } },
  });
}

/** Which policies were settled how, in their order, until all are done. */
function settleUnder(watch: Watch, until = now() + 20_000): Promise<string[]> {
  const policies = Object.keys(CALLBACKS).map(prepare);
  const run: SharedTimeLimiter["run"] = (work) => {
    work();
    return true;
  };
  const guard: SharedTimeLimiter = { run, watch, hasRoom: () => true, admits: () => true, isRunning: () => false };
  const journal = {
    isExplained: false,
    traced: null,
    files: null,
    denied: null,
    callId: "",
    head: "",
    policies: "",
    isExcepted: false,
    input: null,
    isCall: true,
    withoutInputs: "",
    keepsInputs: false,
    begun: 0,
  };
  const by = { where: "here", policyHost: { limiter: guard, run: null }, until, harmlessUntil: until } as const;
  const pass: CallEvaluation = {
    adapter: claudeCode,
    executor: by,
    journal,
    policies,
    events: [],
    callback: "beforeToolCall",
    lifecycle: null,
    context: { home: "", key: "", isExplained: true },
  };
  const settled: string[] = [];
  return new Promise((resolve) => {
    evaluateInOrder<PolicyEvaluation>({
      next: () => {
        const policy = policies[settled.length];
        return policy === undefined ? null : { call: pass, policy, event: "{}" };
      },
      settle: ({ policy }, { action }) => settled.push(`${policy.name} ${action}`),
      onDone: () => {
        settled.push("done");
        setTimeout(() => resolve(settled), 100);
      },
    });
  });
}

const CUT = "failure";

test.each<[string, Watch, string[]]>([
  ["nowhere", (work) => [work()].length === 1, ["quick log-only", "waits none", `never ${CUT}`]],
  ["before its work begins", () => false, [`quick ${CUT}`, `waits ${CUT}`, `never ${CUT}`]],
  ["behind its work", (work) => [work()].length === 0, [`quick ${CUT}`, `waits ${CUT}`, `never ${CUT}`]],
])("a watch that is cut off %s settles every policy, once", async (_, watch, settled) => {
  expect(await settleUnder(watch)).toEqual([...settled, "done"]);
});

test("when the time of all is over, nobody is watched, and each is settled", async () => {
  const watch = (): boolean => {
    throw new Error("watched");
  };
  expect(await settleUnder(watch, now())).toEqual([`quick ${CUT}`, `waits ${CUT}`, `never ${CUT}`, "done"]);
});
