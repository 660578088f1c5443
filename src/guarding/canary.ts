import { spawn } from "node:child_process";
import { CANARY_TOOL } from "../contract/plan.ts";
import { drwn } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { traceProcess } from "../kernel/trace.ts";
import { canaryCall } from "../wiring/canary-call.ts";
import { hookStart } from "../wiring/launcher.ts";
import type { Target } from "../wiring/target.ts";
import { faultFinding, type GuardFault } from "./fault.ts";

const PATIENCE_MS = 20_000;

interface CanaryRequest {
  /** Exactly what an agent starts. */
  program: string;
  args: readonly string[];
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The event as the agent would report it. */
  event: Readonly<Record<string, unknown>>;
  /** Digest of the plan that must answer. */
  plan: string;
}

/** Sends an event that no policy sees through the agent's hook. */
export async function tryHook(
  { drwnHome: home, env, scope }: Host,
  root: string,
  { target, plan }: { target: Target; plan: string },
): Promise<GuardFault[]> {
  const { runtime, calls } = target;
  const call = canaryCall(calls, { root, tool: CANARY_TOOL });
  return await sendCanary({
    ...hookStart({ home, runtime, phase: "pre" }),
    root,
    env: { ...env, ...call.env, ...(scope === "system" ? { HOME: "" } : {}) },
    event: call.event,
    plan,
  });
}

/** Runs the hook as the agent would, on an event that no policy sees, and reports when no answer of this plan comes. */
async function sendCanary(request: CanaryRequest): Promise<GuardFault[]> {
  const { status, stdout, stderr } = await runHook(request);
  if (status === 0 && stdout.includes(`drwn:canary:${request.plan}`)) return [];
  const answer =
    status === null ? "no answer in time" : (stdout + stderr).trim() || `exit status ${status} and no answer`;
  const message = `the hook command does not answer for this plan: ${answer}`;
  // The launcher holds a call like this when it cannot have it judged.
  const comesTo = status === 2 && stdout === "" ? "blocks" : "hides";
  return [{ comesTo, finding: faultFinding("hook-does-not-answer", "hook", message, drwn("write")) }];
}

function runHook({
  program,
  args,
  root,
  env,
  event,
}: CanaryRequest): Promise<{ status: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const ended = traceProcess(program, args);
    const child = spawn(program, args, {
      cwd: root,
      env: { ...env },
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", ({ message }) => resolve({ status: 2, stdout: "", stderr: message }));
    child.on("close", (status) => {
      ended(status);
      resolve({ status, stdout, stderr });
    });
    // The hook may end without having read its input.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });
}
