import type { HookFacts } from "../../contract/ledger.ts";
import { DEADLINES } from "../../contract/plan.ts";
import type { ProblemCode } from "../../kernel/codes.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { compileMatcher } from "../matcher.ts";
import type { RawField, RawPolicy } from "./evaluation-script.ts";

/** What is wrong with one field, and the field's name, which leads to its line. */
export interface HookFault {
  field: string;
  text: string;
  code: ProblemCode;
}

export type RawFields = Readonly<Record<string, RawField>>;
export type RawObject = Extract<RawPolicy, { found: "object" }>;

/** One form that a hook can have. */
export interface HookForm {
  findFaults: (policy: RawObject) => HookFault[];
  /** Only for a policy without faults. */
  factsOf: (fields: RawFields) => Omit<HookFacts, "capabilities">;
}

export function fault(field: string, text: string): HookFault {
  return { field, text, code: "DRWN_POLICY_INVALID" };
}

/** Faults for fields that this form doesn't have. */
export function findStrangers(
  { fields, unknownKeys }: RawObject,
  { what, known }: { what: string; known: readonly string[] },
): HookFault[] {
  const strangers = [...unknownKeys, ...Object.keys(fields).filter((name) => !known.includes(name))];
  return strangers.map((name) =>
    fault(name, `\`${clean(name, 80)}\` isn't a field of ${what}; it has ${known.join(", ")}`),
  );
}

/** Notes fields that aren't what they should be. */
export function expecting(fields: RawFields, faults: HookFault[]) {
  return (field: string, isRight: boolean, expected: string): void => {
    if (!isRight) faults.push(fault(field, `\`${field}\` should be ${expected}, got ${show(fields[field])}`));
  };
}

/** What is wrong with the fields that every form has. */
export function findCommonFaults(fields: RawFields): HookFault[] {
  const faults: HookFault[] = [];
  const expect = expecting(fields, faults);
  const { matcher, timeoutMs } = fields;
  expect("matcher", matcher === undefined || matcher.type === "string", "a glob");
  expect("timeoutMs", timeoutMs === undefined || isTimeout(timeoutMs), `a whole number from 1 to ${DEADLINES.maximum}`);
  return faults;
}

export function timeoutOf({ timeoutMs }: RawFields): number {
  return timeoutMs === undefined ? DEADLINES.default : Number(timeoutMs.text);
}

function isTimeout({ type, text }: RawField): boolean {
  const milliseconds = Number(text);
  return type === "number" && Number.isInteger(milliseconds) && milliseconds >= 1 && milliseconds <= DEADLINES.maximum;
}

/** What is wrong with the glob, if there is one. */
export function findGlobFaults({ matcher }: RawFields): HookFault[] {
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
