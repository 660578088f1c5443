import { compileFunction } from "node:vm";
import { findAdapter } from "../../agents/adapters.ts";
import { runner, runnerLifecycle } from "../../agents/runner.ts";
import { DEADLINES } from "../../contract/deadlines.ts";
import { splitSdk } from "../../contract/plan.ts";
import { PROVING_KEY, type ProvingOrder, type ProvingQuestion, USER_HOME } from "../../contract/protocol.ts";
import { ABILITIES, ableTo, type HookAdapter } from "../../hook-base/adapter/adapter.ts";
import { exitNow, now, parseJson, quoteJson } from "../../hook-base/primordials.ts";
import { writeAll } from "../../hook-base/write.ts";
import { isLifecycleEvent } from "../../policy/lifecycle-events.ts";
import type { CallChannel } from "../answer/call-channel.ts";
import { judgeEvent, readEvent } from "../answer-event.ts";
import type { Journal, JournaledVerdict } from "../journal/journal.ts";
import { lifecycleStrategyFor } from "../lifecycle-event.ts";
import type { HookCall } from "../prepare-call.ts";
import { readMessage } from "../processes/messages.ts";
import { servePolicies } from "../processes/serve-policies.ts";
import { ANSWER_FD, spawnWorker } from "../processes/spawn-worker.ts";
import { startWorkers } from "../processes/workers.ts";
import { isConfined } from "../run/confine.ts";
import type { SharedSdk } from "../run/modules.ts";
import type { PolicyBody } from "../run/policy-code.ts";
import { startPolicyHost } from "../run/policy-host.ts";
import type { LoadedPolicy } from "../verify/shards.ts";

/**
 * `prove.cjs <home> <project>`: the hook process without ledger and plan, for `src/authoring/proving`. It gets one policy, which
 * needs no consent, and says what the policy makes of each of many calls; the policy's module is loaded again for every
 * call. The home is a throw-away folder that holds only this program and the policy.
 */
function prove([home = "", root = "/"]: readonly string[]): void {
  process.exitCode = 2;
  const { nonce, policy, code } = JSON.parse(readMessage() ?? "") as ProvingOrder;
  // No other publisher's code runs here, and the policy is loaded only when it is first asked.
  const policies: LoadedPolicy[] = [{ ...policy, ...(isConfined() ? loadable(code, policy.hook) : {}) }];
  const policyHost = isConfined() ? startPolicyHost() : null;
  const paths = { home, notes: home, key: PROVING_KEY, root, common: "", policyHost, confinedFor: "", outerScopes: [] };
  const proceed = (): void => {
    for (let isAnswered = true; isAnswered; ) {
      isAnswered = false;
      let isLate = false;
      const message = readMessage();
      if (message === null) exitNow(0);
      const question = parseJson(message ?? "") as ProvingQuestion;
      judgeCall({ paths, policies }, question, (answer) => {
        writeAll(ANSWER_FD, `${nonce}${answer}\n`);
        isAnswered = true;
        if (isLate) proceed();
      });
      isLate = true;
    }
  };
  proceed();
}

interface Asking {
  paths: Omit<
    HookCall,
    keyof SimulatedAgent | keyof typeof JOURNAL_SETTINGS | "begun" | "until" | "channel" | "startWorkers"
  >;
  policies: LoadedPolicy[];
}

const JOURNAL_SETTINGS = { isExplained: true, isTraced: false, keepsInputs: false };
const speakers: Record<string, SimulatedAgent> = Object.create(null);

function judgeCall(
  { paths, policies }: Asking,
  { runtime, phase, wire, userHome = USER_HOME }: ProvingQuestion,
  onAnswer: (text: string) => void,
): void {
  const begun = now();
  const channel: CallChannel = {
    wire: () => wire,
    answer: (_, journal, end) => onAnswer(printEnd(journal, end)),
    letThrough: () => onAnswer("{}"),
    complain: () => onAnswer("{}"),
  };
  const call: HookCall = {
    ...paths,
    ...JOURNAL_SETTINGS,
    ...speakerFor(runtime, phase),
    begun,
    until: begun + DEADLINES.total,
    channel,
    userHome,
    startWorkers: isConfined() ? null : (work, place) => startWorkers(spawnWorker, work, place),
  };
  const event = readEvent(call);
  if (event === null) onAnswer("{}");
  else judgeEvent({ ...call, plan: "", pause: null, policies }, event);
}

type SimulatedAgent = Pick<HookCall, "adapter" | "lifecycle" | "phase">;

function speakerFor(runtime: string, phase: ProvingQuestion["phase"]): SimulatedAgent {
  const name = `${runtime} ${phase}`;
  speakers[name] ??= makeSpeaker(runtime, phase);
  return speakers[name];
}

/** An agent that can carry everything that a policy may say, since only what the policy says counts here. */
function makeSpeaker(runtime: string, phase: ProvingQuestion["phase"]): SimulatedAgent {
  if (phase === "pre-tool" || phase === "post-tool") {
    const adapter = findAdapter(runtime);
    if (adapter === undefined) throw new Error("it doesn't know this agent");
    const able: HookAdapter = { ...adapter, can: ableTo(...ABILITIES) };
    return { adapter: able, phase, lifecycle: null };
  }
  const lifecycle = isLifecycleEvent(phase) ? lifecycleStrategyFor(runner, runnerLifecycle, phase) : undefined;
  if (!isLifecycleEvent(phase) || lifecycle === undefined) throw new Error("it was asked for an event that nobody has");
  return { adapter: runner, phase, lifecycle };
}

/**
 * Compiles the policy as a plan does: the SDK is apart from it and loaded once. A policy cannot change the SDK, and the
 * SDK remembers how it read a command, since one case asks about the same command under many names.
 */
function loadable(code: string, hook: string): Pick<LoadedPolicy, "body" | "shared"> {
  const parts = splitSdk(code);
  const body = compileFunction(parts?.own ?? code, ["exports", "require", "module"], {
    filename: `file:///${hook}/policy.cjs`,
  }) as PolicyBody;
  if (parts === null) return { body };
  const load = compileFunction(`return (${parts.shared}\n)`)() as SharedSdk["load"];
  return { body, shared: { load, exported: null } };
}

function printEnd(journal: Journal | null, { verdict, problem, ruling }: JournaledVerdict): string {
  const asked = journal === null ? "" : journal.policies;
  const field = (name: string, text: string | null): string => (text === null ? "" : `,"${name}":${text}`);
  const reason = ruling === null ? problem : ruling.reason;
  const said = field("reason", reason === null ? null : quoteJson(reason));
  const rule = field("rule", ruling === null ? null : quoteJson(ruling.rule));
  const input = field("updatedInput", ruling === null ? null : ruling.updatedInput);
  return `{"verdict":"${verdict}","policies":[${asked}]${said}${rule}${input}}`;
}

const [first = "", ...others] = process.argv.slice(2);
if (first === "--policies") servePolicies();
else prove([first, ...others]);
