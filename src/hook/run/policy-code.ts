import { compileFunction as nodeCompileFunction } from "node:vm";
import { apply, freeze, getField, ownKeys, parseJson, startTimer } from "../../hook-base/primordials.ts";
import type { PolicyRequire } from "./modules.ts";
import { NO_OPINION, type PolicyAnswer, readDecision } from "./policy-answer.ts";
import { answerRun, describeThrown, endIfAnswered, failRun, type PolicyHost, type PolicyRun } from "./policy-run.ts";

const compileFunction = nodeCompileFunction;

/** A compiled policy that hasn't run yet: calling it runs the policy's module. */
export type PolicyBody = (exports: unknown, require: unknown, module: unknown) => void;

/** A policy's verified code. It is loaded once, when the policy is first asked. */
export interface PolicyCode {
  /** `card@version#hook`, as it appears in stack traces. */
  name: string;
  /** Its text, or the function that a shard's text was compiled to. */
  code: string | PolicyBody;
  require: PolicyRequire;
  exported: { value: unknown } | null;
}

/** A policy that can be asked, or why it can't. */
export type PolicyProgram = { where: "here"; code: PolicyCode } | { where: "nowhere"; why: string };

/** Which function of the policy is called. */
export type Callback = "beforeToolCall" | "afterToolCall" | "run";

export interface PolicyCall {
  callback: Callback;
  /** JSON text of the event; every policy gets a copy of its own. */
  event: string;
  /** Takes apart what the policy returns. Runs code of the policy. */
  read: ReadAnswer;
}

export type ReadAnswer = (returned: unknown) => PolicyAnswer;

/** After a call, what a policy returns doesn't matter. */
export function readerFor(callback: Callback): ReadAnswer {
  return callback === "beforeToolCall" ? readDecision : () => NO_OPINION;
}

/** Loads the policy if needed and calls it. It runs foreign code, so only `startRun` may call it. */
export function callPolicy(
  policyHost: PolicyHost,
  run: PolicyRun,
  policy: PolicyCode,
  { callback, event, read }: PolicyCall,
): void {
  policy.exported ??= { value: load(policy) };
  const exported = policy.exported.value;
  const handler: unknown = isObject(exported) ? getField(exported, callback) : undefined;
  if (!isObject(exported) || typeof handler !== "function") {
    failRun(run, isObject(exported) ? `has no ${callback}` : "exports no policy");
    return;
  }
  void follow(policyHost, run, { returned: apply(handler, exported, [readEvent(event)]), read });
}

/** Freezes the options, since they are what the user consented to. */
function readEvent(text: string): unknown {
  const event = parseJson(text);
  const options: unknown = isObject(event) ? getField(event, "options") : undefined;
  if (!isObject(options)) return event;
  const names = ownKeys(options);
  for (let i = 0; i < names.length; i++) {
    const value: unknown = getField(options, names[i] ?? "");
    if (isObject(value)) freeze(value);
  }
  freeze(options);
  return event;
}

function compile(code: string, name: string): PolicyBody {
  return compileFunction(code, ["exports", "require", "module"], { filename: name }) as PolicyBody;
}

function load({ name, code, require: policyRequire }: PolicyCode): unknown {
  const body = typeof code === "string" ? compile(code, name) : code;
  const module = { exports: {} as unknown };
  apply(body, module.exports, [module.exports, policyRequire, module]);
  return isObject(module.exports) ? getField(module.exports, "default") : undefined;
}

interface Returned {
  returned: unknown;
  read: ReadAnswer;
}

async function follow(policyHost: PolicyHost, run: PolicyRun, { returned, read }: Returned): Promise<void> {
  try {
    answerRun(run, read(await returned));
  } catch (error) {
    failRun(run, describeThrown(error));
  }
  // The answer came by way of real input or output: the next policy must not begin inside this microtask.
  if (!policyHost.limiter.isRunning()) startTimer(() => endIfAnswered(policyHost, run), 0);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
