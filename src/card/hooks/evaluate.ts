import { spawn } from "node:child_process";
import path from "node:path";
import type { Readable } from "node:stream";
import type { Capability } from "../../contract/plan.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";
import type { CompiledHook } from "../compiler/compile.ts";
import { nodeModulesOf } from "../compiler/policy-import.ts";
import { nameHook } from "../compiler/refusal.ts";
import { EVALUATION_FD, evaluationScript, type RawFailure, type RawPolicy } from "./evaluation-script.ts";
import { locateFrame } from "./stack-frame.ts";

interface EvaluationRequest extends CompiledHook {
  card: string;
  hook: string;
  capabilities: readonly Capability[];
  /** Source map of `code`. */
  map: string;
  /** Milliseconds for loading; absent: ten seconds. */
  deadlineMs?: number;
}

interface ChildEnd {
  answer: string;
  isLate: boolean;
  exit: string;
}

const DEADLINE_MS = 10_000;
const MEMORY_MB = 256;
const MAXIMUM_ANSWER = 256 * 1024;

/**
 * Loads a compiled policy and says what it exports. AUTHOR'S SIDE ONLY: it runs code of the card, in a child process
 * without files, programs, environment or anything to wait for. Nothing calls it on a consumer's machine.
 */
export async function evaluateHook(request: EvaluationRequest): Promise<RawPolicy> {
  const { code, capabilities, deadlineMs = DEADLINE_MS } = request;
  const end = await runChild(evaluationScript({ code, modules: nodeModulesOf(capabilities) }), deadlineMs);
  if (end.isLate) throw failure(request, `is not loaded after ${deadlineMs} ms`);
  const answer = readAnswer(end.answer);
  if (answer === undefined) throw failure(request, `ends its process while it is loaded (${end.exit})`);
  if (answer.found !== "failure") return answer;
  throw failure(request, `throws while it is loaded: ${clean(answer.message)}`, locateFrame(answer.stack, request.map));
}

/** Node's own confinement, under the name that this version of Node gives it. It grants no files and no processes. */
export function permissionFlag(version: string): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isStable = major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13);
  return isStable ? "--permission" : "--experimental-permission";
}

/** It reads its script from standard input. */
function flagsOfChild(): string[] {
  return [
    permissionFlag(process.versions.node),
    "--no-warnings",
    "--no-addons",
    `--max-old-space-size=${MEMORY_MB}`,
    "--input-type=commonjs",
    "-",
  ];
}

function runChild(script: string, deadlineMs: number): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    const ended = traceProcess(process.execPath, flagsOfChild());
    const child = spawn(process.execPath, flagsOfChild(), {
      cwd: path.parse(process.execPath).root,
      env: {},
      stdio: ["pipe", "ignore", "ignore", "pipe"],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, deadlineMs);
    const answers = child.stdio[EVALUATION_FD] as Readable;
    answers.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAXIMUM_ANSWER) child.kill("SIGKILL");
      else chunks.push(chunk);
    });
    // If the child dies before it has read everything, its exit shows that.
    child.stdin?.on("error", () => {});
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signal) => {
      ended(code);
      clearTimeout(timer);
      const exit = signal === null ? `exit code ${code}` : `${signal}: a crash, or more than ${MEMORY_MB} MB of memory`;
      resolve({ answer: Buffer.concat(chunks).toString("utf8"), isLate, exit });
    });
    child.stdin?.end(script);
  });
}

function readAnswer(text: string): RawPolicy | RawFailure | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return isAnswer(answer) ? answer : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isAnswer(value: unknown): value is RawPolicy | RawFailure {
  if (typeof value !== "object" || value === null || !("found" in value)) return false;
  if (value.found === "failure") {
    return (
      "message" in value && typeof value.message === "string" && "stack" in value && typeof value.stack === "string"
    );
  }
  if (value.found !== "object") return typeof value.found === "string";
  return "unknownKeys" in value && Array.isArray(value.unknownKeys) && "fields" in value && isFields(value.fields);
}

function isFields(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every(
    (field) =>
      typeof field === "object" && field !== null && typeof field.type === "string" && typeof field.text === "string",
  );
}

function failure(request: EvaluationRequest, what: string, place?: string): Problem {
  const { hook } = request;
  const at = place ?? `hooks/${hook}/policy.ts`;
  return new Problem("DRWN_POLICY_INVALID", `${nameHook(request)} ${what} (${clean(at)})`, {
    details: [`${clean(at)}: ${what}`],
    hint: "a policy is loaded to learn what it is; leave everything else to its callbacks",
  });
}
