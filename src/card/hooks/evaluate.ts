import { spawn } from "node:child_process";
import { SourceMap, type SourceMapPayload } from "node:module";
import path from "node:path";
import type { Readable } from "node:stream";
import type { Capability } from "../../contract/plan.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";
import type { CompiledHook } from "../compiler/compile.ts";
import { nodeModulesOf } from "../compiler/policy-import.ts";
import { nameHook, stripNamespace } from "../compiler/refusal.ts";

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

/**
 * What the child says about the module that it loaded. Text is cut short; drwn trusts nothing in it before checking it.
 */
export type RawPolicy =
  | {
      found:
        | "nothing"
        | "null"
        | "array"
        | "bigint"
        | "boolean"
        | "function"
        | "number"
        | "string"
        | "symbol"
        | "undefined";
    }
  | { found: "object"; unknownKeys: string[]; fields: Record<string, RawField> };

export interface RawField {
  type: string;
  /** The value as text; strings are unchanged. */
  text: string;
}

interface RawFailure {
  found: "failure";
  message: string;
  stack: string;
}

/** The name by which the compiled policy appears in stack traces. */
const COMPILED_NAME = "policy.cjs";

/** The file descriptor for the answer: the policy may print to standard output. */
const EVALUATION_FD = 3;

/** The fields of a tool policy, and no others. */
export const TOOL_POLICY_FIELDS = ["policyKind", "matcher", "timeoutMs", "beforeToolCall", "afterToolCall"] as const;

/** The fields of a lifecycle hook, and no others. */
export const LIFECYCLE_HOOK_FIELDS = ["event", "matcher", "timeoutMs", "onFailure", "run"] as const;

interface ScriptRequest {
  code: string;
  /** The `node:` modules that may be required. */
  modules: readonly string[];
}

/**
 * A CommonJS program that loads the compiled policy, says what it exports, and ends at once: timers, sockets and
 * promises that the module started while loading never get a turn.
 */
function evaluationScript({ code, modules }: ScriptRequest): string {
  const given = {
    code,
    modules,
    fields: [...new Set([...TOOL_POLICY_FIELDS, ...LIFECYCLE_HOOK_FIELDS])],
    name: COMPILED_NAME,
    fd: EVALUATION_FD,
  };
  return `"use strict";\n(${PROGRAM})(${JSON.stringify(given)}, require);\n`;
}

const PROGRAM = `(given, load) => {
  const { writeSync } = load("node:fs");
  const { compileFunction } = load("node:vm");
  const { stringify } = JSON;
  const end = process.reallyExit.bind(process);
  const cut = (text) => String(text).slice(0, 2000);
  const answer = (facts) => { writeSync(given.fd, stringify(facts)); end(0); };

  const allowed = new Set(given.modules);
  const requireAllowed = (name) => {
    if (allowed.has(name)) return load(name);
    throw new Error("the module " + cut(name) + " is not available");
  };
  for (const name of ["require", "module", "exports", "__filename", "__dirname"]) delete globalThis[name];
  for (const name of ["kill", "_kill", "binding", "_linkedBinding", "getBuiltinModule", "dlopen", "mainModule"]) {
    delete process[name];
  }

  const typeOf = (value) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const describe = (exported) => {
    if (exported === null || typeof exported !== "object" || exported.default === undefined) return { found: "nothing" };
    const policy = exported.default;
    if (typeOf(policy) !== "object") return { found: typeOf(policy) };
    const fields = Object.create(null);
    for (const name of given.fields) {
      const value = policy[name];
      const type = typeOf(value);
      if (type === "undefined") continue;
      fields[name] = { type, text: type === "object" || type === "array" || type === "function" ? type : cut(value) };
    }
    const unknown = Reflect.ownKeys(policy).map(cut).filter((name) => !given.fields.includes(name));
    return { found: "object", unknownKeys: unknown.slice(0, 20), fields };
  };

  const failure = (error) => {
    try {
      const isError = error !== null && typeof error === "object" && "message" in error;
      const message = isError ? cut(error.name) + ": " + cut(error.message) : cut(error);
      return { found: "failure", message, stack: isError ? cut(error.stack) : "" };
    } catch {
      return { found: "failure", message: "a value that cannot be read", stack: "" };
    }
  };

  let facts;
  try {
    const module = { exports: {} };
    compileFunction(given.code, ["exports", "require", "module"], { filename: given.name })(module.exports, requireAllowed, module);
    facts = describe(module.exports);
  } catch (error) {
    facts = failure(error);
  }
  answer(facts);
}`;

const FRAME = new RegExp(`\\b${COMPILED_NAME.replace(".", "\\.")}:(\\d+)(?::(\\d+))?`, "u");

/** Where in the card's own files a stack trace begins: `hooks/guard/policy.ts:12:3`. Undefined if it doesn't say. */
function locateFrame(stack: string, map: string): string | undefined {
  const [, line, column = "1"] = FRAME.exec(stack) ?? [];
  if (line === undefined) return undefined;
  // The compiler itself has just made the map.
  const payload = JSON.parse(map) as SourceMapPayload;
  const entry = new SourceMap(payload).findEntry(Number(line) - 1, Number(column) - 1);
  if (!("originalSource" in entry)) return undefined;
  return `${stripNamespace(entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
