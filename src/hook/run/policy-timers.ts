import { apply, defineProperty, max, startMicrotask } from "../../hook-base/primordials.ts";
import {
  addTimer,
  describeThrown,
  failRun,
  type PolicyHost,
  type PolicyRun,
  reenterRun,
  removeTimer,
} from "./policy-run.ts";

type Callback = (...given: unknown[]) => unknown;

/** Node's key for the function that `util.promisify` returns instead. */
const PROMISIFIED = Symbol.for("nodejs.util.promisify.custom");
const LONGEST_MS = 2_147_483_647;

/** A timer as a policy sees it. It doesn't outlive the policy that started it. */
class PolicyTimer {
  readonly #restart: () => void;
  readonly #stop: () => void;
  #hasRef = true;

  constructor(restart: () => void, stop: () => void) {
    this.#restart = restart;
    this.#stop = stop;
    restart();
  }

  static stop(timer: unknown): void {
    if (typeof timer === "object" && timer !== null && #stop in timer) timer.#stop();
  }

  ref(): this {
    this.#hasRef = true;
    return this;
  }

  unref(): this {
    this.#hasRef = false;
    return this;
  }

  hasRef(): boolean {
    return this.#hasRef;
  }

  refresh(): this {
    this.#restart();
    return this;
  }

  close(): this {
    this.#stop();
    return this;
  }
}

interface TimerRequest {
  callback: unknown;
  delay: unknown;
  given: unknown[];
  repeats: boolean;
}

/**
 * Gives policies the engine's timers and microtasks: each turn counts as the policy's own, within its remaining time,
 * and none comes after its end. Returns what policies get as `process.nextTick`.
 */
export function policyTimers(policyHost: PolicyHost): { nextTick: (callback: unknown, ...given: unknown[]) => void } {
  const start = (request: TimerRequest): PolicyTimer => startPolicyTimer(policyHost, request);
  const later = (callback: unknown, ...given: unknown[]): void => startPolicyMicrotask(policyHost, callback, given);
  const setTimeout = (callback: unknown, delay?: unknown, ...given: unknown[]) =>
    start({ callback, delay, given, repeats: false });
  const setImmediate = (callback: unknown, ...given: unknown[]) => start({ callback, delay: 0, given, repeats: false });
  // If a policy replaces `Promise` or calls an executor, that only affects policies: the engine uses none of these.
  promisify(
    setTimeout,
    (delay?: unknown, value?: unknown) => new Promise((resolve) => setTimeout(resolve, delay, value)),
  );
  promisify(setImmediate, (value?: unknown) => new Promise((resolve) => setImmediate(resolve, value)));
  replace(globalThis, "setTimeout", setTimeout);
  replace(globalThis, "setImmediate", setImmediate);
  replace(globalThis, "setInterval", (callback: unknown, delay?: unknown, ...given: unknown[]) =>
    start({ callback, delay, given, repeats: true }),
  );
  for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) replace(globalThis, name, PolicyTimer.stop);
  replace(globalThis, "queueMicrotask", (callback: unknown) => later(callback));
  return { nextTick: later };
}

function startPolicyTimer(policyHost: PolicyHost, { callback, delay, given, repeats }: TimerRequest): PolicyTimer {
  const work = callable(callback);
  const { run } = policyHost;
  const milliseconds = durationOf(delay);
  let place = -1;
  const stop = (): void => {
    if (run !== null && place >= 0) removeTimer(run, place);
  };
  const restart = (): void => {
    stop();
    if (run === null || run.hasEnded) return;
    place = addTimer(run, milliseconds, () => {
      if (repeats) restart();
      reenterRun(policyHost, run, () => {
        apply(work, undefined, given);
      });
    });
  };
  return new PolicyTimer(restart, stop);
}

function startPolicyMicrotask(policyHost: PolicyHost, callback: unknown, given: unknown[]): void {
  const work = callable(callback);
  const { run } = policyHost;
  startMicrotask(() => {
    if (run === null || run.hasEnded) return;
    attempt(run, work, given);
  });
}

function attempt(run: PolicyRun, work: Callback, given: unknown[]): void {
  try {
    apply(work, undefined, given);
  } catch (error) {
    failRun(run, describeThrown(error));
  }
}

function callable(callback: unknown): Callback {
  if (typeof callback === "function") return callback as Callback;
  throw new TypeError("a timer needs a function");
}

function durationOf(delay: unknown): number {
  const milliseconds = typeof delay === "number" ? delay : 1;
  return milliseconds >= 1 && milliseconds <= LONGEST_MS ? max(1, milliseconds) : 1;
}

function promisify(timer: object, value: unknown): void {
  defineProperty(timer, PROMISIFIED, { value });
}

function replace(owner: object, name: string, value: unknown): void {
  defineProperty(owner, name, { value, configurable: true, enumerable: true, writable: true });
}
