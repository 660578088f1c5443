import type { HookFacts } from "../contract/ledger.ts";
import { type Capability, DEADLINES } from "../contract/plan.ts";
import type { ProblemCode } from "../kernel/codes.ts";
import { compareOrdinal } from "../kernel/order.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { compileHookWithMap, nameHook } from "./compile.ts";
import { evaluateHook } from "./evaluate.ts";
import { POLICY_FIELDS, type RawField, type RawPolicy } from "./evaluation-script.ts";
import type { CardFiles } from "./files.ts";
import { handlerFileOf } from "./handler-module.ts";
import { compileMatcher } from "./matcher.ts";

interface DescribeRequest {
  card: string;
  files: CardFiles;
  hook: string;
  capabilities: readonly Capability[];
  /** Milliseconds to load in; ten seconds when absent. */
  deadlineMs?: number;
}

/** What is wrong with one field, and the field, by which its line is found. */
interface Fault {
  field: string;
  text: string;
  code: ProblemCode;
}

type RawFields = Readonly<Record<string, RawField>>;

/**
 * What a hook is, from its source: compiled, loaded in a child, and checked. AUTHOR'S SIDE ONLY, as `evaluateHook` is.
 * `inputs` are the card's files that are in it.
 */
export async function describeHook(request: DescribeRequest): Promise<{ facts: HookFacts; inputs: string[] }> {
  const { card, files, hook, capabilities } = request;
  const compiled = await compileHookWithMap({ card, files, hook, capabilities });
  const policy = await evaluateHook({ ...request, ...compiled });
  if (policy.found !== "object") throw noPolicy(request, policy.found);
  const faults = [...findUnknown(policy), ...findFaults(policy.fields)];
  if (faults.length > 0) throw problemOf(request, faults);
  return { facts: factsFrom(policy.fields, request.capabilities), inputs: compiled.inputs };
}

function factsFrom(fields: RawFields, capabilities: readonly Capability[]): HookFacts {
  const { policyKind, matcher, timeoutMs, beforeToolCall, afterToolCall } = fields;
  return {
    kind: policyKind?.text === "enforcement" ? "enforcement" : "observer",
    matcher: matcher?.text ?? null,
    phases: [...(beforeToolCall ? (["pre-tool"] as const) : []), ...(afterToolCall ? (["post-tool"] as const) : [])],
    timeoutMs: timeoutMs === undefined ? DEADLINES.default : Number(timeoutMs.text),
    capabilities: [...new Set(capabilities)].sort(compareOrdinal),
  };
}

function findUnknown({ unknownKeys }: Extract<RawPolicy, { found: "object" }>): Fault[] {
  return unknownKeys.map((field) => ({
    field,
    text: `\`${clean(field, 80)}\` is no field of a policy; it has ${POLICY_FIELDS.join(", ")}`,
    code: "DRWN_POLICY_INVALID",
  }));
}

function findFaults(fields: RawFields): Fault[] {
  const faults: Fault[] = [];
  const expect = (field: string, isRight: boolean, expected: string) => {
    if (isRight) return;
    faults.push({
      field,
      text: `\`${field}\` should be ${expected}, got ${show(fields[field])}`,
      code: "DRWN_POLICY_INVALID",
    });
  };
  const { policyKind, matcher, timeoutMs, beforeToolCall, afterToolCall } = fields;
  const isKind = policyKind?.type === "string" && ["enforcement", "observer"].includes(policyKind.text);
  expect("policyKind", isKind, '"enforcement" or "observer"');
  expect("matcher", matcher === undefined || matcher.type === "string", "a glob");
  expect("timeoutMs", timeoutMs === undefined || isTimeout(timeoutMs), `a whole number from 1 to ${DEADLINES.maximum}`);
  expect("beforeToolCall", beforeToolCall === undefined || beforeToolCall.type === "function", "a function");
  expect("afterToolCall", afterToolCall === undefined || afterToolCall.type === "function", "a function");
  if (beforeToolCall === undefined && afterToolCall === undefined) {
    faults.push({
      field: "default",
      text: "neither `beforeToolCall` nor `afterToolCall` is there",
      code: "DRWN_POLICY_INVALID",
    });
  }
  return matcher?.type === "string" ? [...faults, ...findMatcherFault(matcher.text)] : faults;
}

function isTimeout({ type, text }: RawField): boolean {
  const milliseconds = Number(text);
  return type === "number" && Number.isInteger(milliseconds) && milliseconds >= 1 && milliseconds <= DEADLINES.maximum;
}

function findMatcherFault(matcher: string): Fault[] {
  try {
    compileMatcher(matcher);
    return [];
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [{ field: "matcher", text: error.message, code: error.code }];
  }
}

function show(field: RawField | undefined): string {
  if (field === undefined) return "nothing";
  if (field.type === "string") return JSON.stringify(clean(field.text, 80));
  return ["array", "function", "object"].includes(field.type) ? `a value of type ${field.type}` : clean(field.text, 80);
}

function noPolicy(request: DescribeRequest, found: string): Problem {
  const text =
    found === "nothing"
      ? "there is no default export"
      : `the default export should be a policy, got a value of type ${found}`;
  return problemOf(request, [{ field: "default", text, code: "DRWN_POLICY_INVALID" }]);
}

function problemOf(request: DescribeRequest, faults: readonly Fault[]): Problem {
  const policy = `hooks/${request.hook}/policy.ts`;
  const file = request.files.has(policy) ? policy : handlerFileOf(request.hook);
  const source = request.files.get(file)?.toString("utf8") ?? "";
  const details = faults.map(({ field, text }) => `${file}:${lineOf(source, field)}: ${text}`);
  const code = faults.every((fault) => fault.code === "DRWN_MATCHER_INVALID")
    ? "DRWN_MATCHER_INVALID"
    : "DRWN_POLICY_INVALID";
  return new Problem(code, `${nameHook(request)} is refused: ${details[0]}`, {
    details,
    hint: "the default export should be defineToolPolicy({ policyKind, matcher, timeoutMs, beforeToolCall, afterToolCall })",
  });
}

/** The line on which a field is written; else the one of the default export; else the first. */
function lineOf(source: string, field: string): number {
  const lines = source.split("\n");
  const key = Array.from(field, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).join("");
  const written = new RegExp(`^(?!\\s*(?://|/?\\*)).*(?<![\\p{L}\\p{N}_$.])["']?${key}["']?\\s*(?:[:(,]|$)`, "u");
  const at = [written, /^\s*export\s+default\b/u].map((pattern) => lines.findIndex((line) => pattern.test(line)));
  return (at.find((index) => index >= 0) ?? 0) + 1;
}
