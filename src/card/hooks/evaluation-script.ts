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

export interface RawFailure {
  found: "failure";
  message: string;
  stack: string;
}

/** The name by which the compiled policy appears in stack traces. */
export const COMPILED_NAME = "policy.cjs";

/** The file descriptor for the answer: the policy may print to standard output. */
export const EVALUATION_FD = 3;

/** The fields of a tool policy, and no others. */
export const TOOL_POLICY_FIELDS = ["policyKind", "matcher", "timeoutMs", "beforeToolCall", "afterToolCall"] as const;

/** The fields of a lifecycle hook, and no others. */
export const LIFECYCLE_HOOK_FIELDS = ["event", "matcher", "timeoutMs", "onFailure", "run"] as const;

interface EvaluationRequest {
  code: string;
  /** The `node:` modules that may be required. */
  modules: readonly string[];
}

/**
 * A CommonJS program that loads the compiled policy, says what it exports, and ends at once: timers, sockets and
 * promises that the module started while loading never get a turn.
 */
export function evaluationScript({ code, modules }: EvaluationRequest): string {
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
