import type { SpawnSyncOptions } from "node:child_process";
import type { Capability } from "../contract/plan.ts";
import { type Answer, failure } from "./answer-of-policy.ts";
import {
  apply,
  ceil,
  decodeBytes,
  encodeText,
  getField,
  max,
  nodeProcess,
  parseJson,
  quoteJson,
  sliceText,
} from "./primordials.ts";

/** A policy that was granted capabilities, ready to be run in a process of its own. */
export interface ChildPolicy {
  nonce: string;
  /** The part of the order that is the same for every call, as JSON text without its end. */
  order: string;
  start: (order: Uint8Array, milliseconds: number) => ChildEnd;
}

/** What the child process left behind. */
interface ChildEnd {
  /** What it wrote as its answer; null: it was stopped at its deadline, or could not be started. */
  frame: Uint8Array | null;
  isLate: boolean;
}

export const ANSWER_FD = 3;
const SIGKILL = 9;
const LARGEST_FRAME = 4 * 1024 * 1024;

interface ChildProgram {
  name: string;
  code: string;
  capabilities: readonly Capability[];
}

/** Only a parent can stop a loop that follows real input or output, so such policies get a process of their own. */
export function prepareChild({ name, code, capabilities }: ChildProgram): ChildPolicy {
  const { randomBytes } = require("node:crypto") as typeof import("node:crypto");
  const nonce = randomBytes(16).toString("hex");
  const order = JSON.stringify({ nonce, name, code, capabilities }).slice(0, -1);
  return { nonce, order, start: createStarter(environmentFor(capabilities)) };
}

/** Asks the policy in its process and waits for the answer. */
export function askChild(
  { nonce, order, start }: ChildPolicy,
  { callback, event }: { callback: string; event: string },
  { timeoutMs, left }: { timeoutMs: number; left: number },
): Answer {
  const text = `${order},"callback":${quoteJson(callback)},"event":${quoteJson(event)},"timeoutMs":${timeoutMs}}`;
  const { frame, isLate } = start(encodeText(text), max(1, ceil(left)));
  if (isLate) return failure(`did not finish within ${timeoutMs} ms`);
  return (
    (frame === null ? null : readFrame(decodeBytes(frame), nonce)) ?? failure("ended its process without an answer")
  );
}

function readFrame(text: string, nonce: string): Answer | null {
  if (sliceText(text, 0, nonce.length) !== nonce) return null;
  try {
    const answer: unknown = parseJson(sliceText(text, nonce.length));
    return typeof answer === "object" && answer !== null ? toAnswer(answer) : null;
  } catch {
    return null;
  }
}

function toAnswer(answer: object): Answer | null {
  const action: unknown = getField(answer, "action");
  const reason: unknown = getField(answer, "reason");
  if (!isAction(action) || typeof reason !== "string") return null;
  return {
    action,
    reason,
    context: textOrNull(getField(answer, "context")),
    updatedInput: textOrNull(getField(answer, "updatedInput")),
    syntheticOutput: textOrNull(getField(answer, "syntheticOutput")),
  };
}

function isAction(action: unknown): action is Answer["action"] {
  return (
    action === "none" ||
    action === "allow" ||
    action === "log-only" ||
    action === "ask" ||
    action === "deny" ||
    action === "failure"
  );
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

const FOR_PROGRAMS = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TMPDIR", "USER"];
const FOR_NETWORK = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_DIR", "SSL_CERT_FILE"];

/** What was consented to of the environment: all of it, or what programs or connections need, or nothing. */
function environmentFor(capabilities: readonly Capability[]): NodeJS.ProcessEnv {
  if (capabilities.includes("env")) return { ...process.env };
  const names = [
    ...(capabilities.includes("exec") ? FOR_PROGRAMS : []),
    ...(capabilities.includes("net") ? [...FOR_NETWORK, ...FOR_NETWORK.map((name) => name.toLowerCase())] : []),
  ];
  return Object.fromEntries(names.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
}

function createStarter(env: NodeJS.ProcessEnv): ChildPolicy["start"] {
  const { spawnSync } = require("node:child_process") as typeof import("node:child_process");
  const { execArgv, execPath, argv } = process;
  const kill: unknown = getField(process, "_kill");
  const given = [...execArgv, argv[1] ?? "", "--policy"];
  return (order, milliseconds) => {
    const options: SpawnSyncOptions & { detached: boolean } = {
      input: order,
      env,
      timeout: milliseconds,
      killSignal: "SIGKILL",
      // A process group of its own.
      detached: true,
      maxBuffer: LARGEST_FRAME,
      stdio: ["pipe", 2, 2, "pipe"],
    };
    const { pid, output, error } = spawnSync(execPath, given, options);
    killGroup(kill, pid);
    const frame: unknown = output === null ? null : getField(output, ANSWER_FD);
    const isLate = error !== undefined && getField(error, "code") === "ETIMEDOUT";
    return { frame: frame instanceof Uint8Array ? frame : null, isLate };
  };
}

/** What the policy's process has started dies with it. */
function killGroup(kill: unknown, pid: number): void {
  // Node's `process.kill` calls what the confinement replaces.
  if (pid > 0 && typeof kill === "function") apply(kill, nodeProcess, [-pid, SIGKILL]);
}
