import { DEADLINES } from "../../contract/deadlines.ts";
import type { HookFacts, PolicyPhase } from "../../contract/ledger.ts";
import type { Capability } from "../../contract/plan.ts";
import { compareOrdinal } from "../../kernel/order.ts";
import { isProblem, Problem, type ProblemCode } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { EVENT_NAMES, HOOK_SYSTEMS } from "../../policy/dialect-names.ts";
import { isLifecycleEvent, powersOf } from "../../policy/lifecycle-events.ts";
import { compileHookWithMap } from "../compiler/compile.ts";
import { handlerFileOf } from "../compiler/handler-module.ts";
import { nameHook } from "../compiler/refusal.ts";
import type { CardFiles } from "../files.ts";
import { compileMatcher } from "../matcher.ts";
import { evaluateHook, LIFECYCLE_HOOK_FIELDS, type RawField, type RawPolicy, TOOL_POLICY_FIELDS } from "./evaluate.ts";
import { phaseSchema } from "./hook-index.ts";

interface DescribeRequest {
  card: string;
  files: CardFiles;
  hook: string;
  capabilities: readonly Capability[];
  /** Milliseconds for loading; absent: ten seconds. */
  deadlineMs?: number;
}

/**
 * What a hook is, from its source: compiles it, loads it in a child process, and checks it. AUTHOR'S SIDE ONLY, like
 * `evaluateHook`. `inputs`: the card's files that went into it.
 */
export async function describeHook(request: DescribeRequest): Promise<{ facts: HookFacts; inputs: string[] }> {
  const { card, files, hook, capabilities } = request;
  const compiled = await compileHookWithMap({ card, files, hook, capabilities });
  const policy = await evaluateHook({ ...request, ...compiled });
  if (policy.found !== "object") throw noPolicy(request, policy.found);
  const isLifecycle = policy.fields["event"] !== undefined || policy.fields["run"] !== undefined;
  const { findFaults, factsOf } = isLifecycle ? LIFECYCLE_HOOK : TOOL_POLICY;
  const faults = findFaults(policy);
  if (faults.length > 0) throw problemOf(request, faults);
  return { facts: { ...factsOf(policy.fields), capabilities: sorted(capabilities) }, inputs: compiled.inputs };
}

function sorted(capabilities: readonly Capability[]): Capability[] {
  return [...new Set(capabilities)].sort(compareOrdinal);
}

function noPolicy(request: DescribeRequest, found: string): Problem {
  const text =
    found === "nothing"
      ? "there is no default export"
      : `the default export should be a policy, got a value of type ${found}`;
  return problemOf(request, [{ field: "default", text, code: "DRWN_POLICY_INVALID" }]);
}

function problemOf(request: DescribeRequest, faults: readonly HookFault[]): Problem {
  const policy = `hooks/${request.hook}/policy.ts`;
  const file = request.files.has(policy) ? policy : handlerFileOf(request.hook);
  const source = request.files.get(file)?.toString("utf8") ?? "";
  const details = faults.map(({ field, text }) => `${file}:${lineOf(source, field)}: ${text}`);
  const code = faults.every((fault) => fault.code === "DRWN_MATCHER_INVALID")
    ? "DRWN_MATCHER_INVALID"
    : "DRWN_POLICY_INVALID";
  return new Problem(code, `${nameHook(request)} is refused: ${details[0]}`, {
    details,
    hint: "the default export should be defineToolPolicy({ policyKind, matcher, timeoutMs, beforeToolCall, afterToolCall }) or defineHook({ event, matcher, timeoutMs, onFailure, run })",
  });
}

/** The line of a field; else that of the default export; else the first. */
function lineOf(source: string, field: string): number {
  const lines = source.split("\n");
  const key = Array.from(field, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).join("");
  const written = new RegExp(`^(?!\\s*(?://|/?\\*)).*(?<![\\p{L}\\p{N}_$.])["']?${key}["']?\\s*(?:[:(,]|$)`, "u");
  const at = [written, /^\s*export\s+default\b/u].map((pattern) => lines.findIndex((line) => pattern.test(line)));
  return (at.find((index) => index >= 0) ?? 0) + 1;
}

/** The result of `defineToolPolicy`. */
const TOOL_POLICY: HookForm = {
  findFaults(policy) {
    const { fields } = policy;
    const faults: HookFault[] = [];
    const expect = expecting(fields, faults);
    const { policyKind, beforeToolCall, afterToolCall } = fields;
    const isKind = policyKind?.type === "string" && ["enforcement", "observer"].includes(policyKind.text);
    expect("policyKind", isKind, '"enforcement" or "observer"');
    faults.push(...findCommonFaults(fields));
    expect("beforeToolCall", beforeToolCall === undefined || beforeToolCall.type === "function", "a function");
    expect("afterToolCall", afterToolCall === undefined || afterToolCall.type === "function", "a function");
    if (beforeToolCall === undefined && afterToolCall === undefined) {
      faults.push(fault("default", "neither `beforeToolCall` nor `afterToolCall` is there"));
    }
    return [
      ...findStrangers(policy, { what: "a policy", known: TOOL_POLICY_FIELDS }),
      ...faults,
      ...findGlobFaults(fields),
    ];
  },
  factsOf(fields) {
    const { policyKind, matcher, beforeToolCall, afterToolCall } = fields;
    return {
      kind: policyKind?.text === "enforcement" ? "enforcement" : "observer",
      matcher: matcher?.text ?? null,
      phases: [...(beforeToolCall ? (["pre-tool"] as const) : []), ...(afterToolCall ? (["post-tool"] as const) : [])],
      timeoutMs: timeoutOf(fields),
    };
  },
};

/** The result of `defineHook`. By default, or with `onFailure: "block"`, it is an enforcement hook. */
const LIFECYCLE_HOOK: HookForm = {
  findFaults(policy) {
    const { fields } = policy;
    const faults: HookFault[] = [];
    const expect = expecting(fields, faults);
    const { event, onFailure, run } = fields;
    if (event?.type === "string") faults.push(...findEventFault(event.text, fields["matcher"] !== undefined));
    else expect("event", false, 'the name of an event, like "prompt.submit"');
    faults.push(...findCommonFaults(fields));
    const isKnown = onFailure === undefined || (onFailure.type === "string" && FAILURES.includes(onFailure.text));
    expect("onFailure", isKnown, '"block" or "proceed"');
    expect("run", run?.type === "function", "a function");
    return [
      ...findStrangers(policy, { what: "a lifecycle hook", known: LIFECYCLE_HOOK_FIELDS }),
      ...faults,
      ...findGlobFaults(fields),
    ];
  },
  factsOf(fields) {
    const { event, matcher, onFailure } = fields;
    return {
      kind: onFailure?.text === "proceed" ? "observer" : "enforcement",
      matcher: matcher?.text ?? null,
      phases: [phaseSchema.parse(event?.text) satisfies PolicyPhase],
      timeoutMs: timeoutOf(fields),
    };
  },
};

const FAILURES = ["block", "proceed"];

function findEventFault(name: string, hasMatcher: boolean): HookFault[] {
  if (name === "tool.before") {
    return [fault("event", "`tool.before` is judged by a tool policy: use defineToolPolicy with beforeToolCall")];
  }
  if (!isLifecycleEvent(name)) {
    const meant = HOOK_SYSTEMS.map((system) => nameOf(EVENT_NAMES[system], name)).find((event) => event !== undefined);
    const hint = meant === undefined ? "" : `; what it means is called \`${meant}\` here`;
    return [fault("event", `\`${clean(name, 80)}\` isn't an event${hint}`)];
  }
  const { subject } = powersOf(name);
  return hasMatcher && subject === null
    ? [fault("matcher", `\`${name}\` has nothing that a matcher could be compared with`)]
    : [];
}

function nameOf(names: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

/** What is wrong with one field, and the field's name, which leads to its line. */
interface HookFault {
  field: string;
  text: string;
  code: ProblemCode;
}

type RawFields = Readonly<Record<string, RawField>>;
type RawObject = Extract<RawPolicy, { found: "object" }>;

/** One form that a hook can have. */
interface HookForm {
  findFaults: (policy: RawObject) => HookFault[];
  /** Only for a policy without faults. */
  factsOf: (fields: RawFields) => Omit<HookFacts, "capabilities">;
}

function fault(field: string, text: string): HookFault {
  return { field, text, code: "DRWN_POLICY_INVALID" };
}

/** Faults for fields that this form doesn't have. */
function findStrangers(
  { fields, unknownKeys }: RawObject,
  { what, known }: { what: string; known: readonly string[] },
): HookFault[] {
  const strangers = [...unknownKeys, ...Object.keys(fields).filter((name) => !known.includes(name))];
  return strangers.map((name) =>
    fault(name, `\`${clean(name, 80)}\` isn't a field of ${what}; it has ${known.join(", ")}`),
  );
}

/** Notes fields that aren't what they should be. */
function expecting(fields: RawFields, faults: HookFault[]) {
  return (field: string, isRight: boolean, expected: string): void => {
    if (!isRight) faults.push(fault(field, `\`${field}\` should be ${expected}, got ${show(fields[field])}`));
  };
}

/** What is wrong with the fields that every form has. */
function findCommonFaults(fields: RawFields): HookFault[] {
  const faults: HookFault[] = [];
  const expect = expecting(fields, faults);
  const { matcher, timeoutMs } = fields;
  expect("matcher", matcher === undefined || matcher.type === "string", "a glob");
  expect("timeoutMs", timeoutMs === undefined || isTimeout(timeoutMs), `a whole number from 1 to ${DEADLINES.maximum}`);
  return faults;
}

function timeoutOf({ timeoutMs }: RawFields): number {
  return timeoutMs === undefined ? DEADLINES.default : Number(timeoutMs.text);
}

function isTimeout({ type, text }: RawField): boolean {
  const milliseconds = Number(text);
  return type === "number" && Number.isInteger(milliseconds) && milliseconds >= 1 && milliseconds <= DEADLINES.maximum;
}

/** What is wrong with the glob, if there is one. */
function findGlobFaults({ matcher }: RawFields): HookFault[] {
  if (matcher?.type !== "string") return [];
  try {
    compileMatcher(matcher.text);
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
