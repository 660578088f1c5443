import { Script } from "node:vm";
import { isRecord } from "../../../hook-base/shape.ts";
import { MATCHED_FIELDS } from "../../../policy/tools.ts";
import type { HookerPattern } from "../data/policies.ts";
import type { HookerCall } from "./call.ts";
import type { LoadedPolicies } from "./load.ts";
import { strip, toRubyText } from "./ruby-text.ts";
import { type ProgramResult, runHookerProgram } from "./run-program.ts";

/** A policy that matched, with the field that it looked at. */
export interface MatchedPolicy extends LoadedPolicies {
  field: string;
}

/** The limit for one regular expression on one text. Ruby has none, and hangs. */
const PATTERN_MS = 1_000;
const ALL_PATTERNS_MS = 10_000;
const WORK = "__drwnMatch";

/** The policies whose event, tool and pattern match, in order. */
export function selectHookerPolicies(policies: readonly LoadedPolicies[], call: HookerCall): MatchedPolicy[] {
  const matched: MatchedPolicy[] = [];
  let at = 0;
  const work = (): void => {
    for (; at < policies.length; at++) {
      const policy = policies[at];
      if (policy !== undefined && applies(policy, call))
        matched.push({ ...policy, field: hookerFieldOf(policy, call) });
    }
  };
  const script = new Script(`${WORK}()`);
  Reflect.set(globalThis, WORK, work);
  let left = ALL_PATTERNS_MS;
  while (at < policies.length) {
    if (runWithin(script, Math.min(PATTERN_MS, left))) continue;
    left = Math.max(1, left - PATTERN_MS);
    call.warnings.add(`invalid regex in policy '${policies[at]?.name}': it took longer than ${PATTERN_MS} ms`);
    at++;
  }
  return matched;
}

/** False if the time was over: V8 checks for interrupts inside regular expressions, too. */
function runWithin(script: Script, timeout: number): boolean {
  try {
    script.runInThisContext({ timeout });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  }
}

function applies(policy: LoadedPolicies, call: HookerCall): boolean {
  const { event, tool, match } = policy;
  if (event !== null && event !== call.eventName) return false;
  if (tool !== null && !test(tool, toolNameOf(call), policy, call)) return false;
  if (match === null) return true;
  if (!("constant" in match)) return test(match, matchedText(policy, call), policy, call);
  call.warnings.add(`unknown match constant ':${match.constant}'`);
  return false;
}

function toolNameOf({ event }: HookerCall): string {
  const name = event["tool_name"];
  return typeof name === "string" ? name : "";
}

function test(pattern: HookerPattern, text: string, { name }: LoadedPolicies, call: HookerCall): boolean {
  if ("error" in pattern) {
    call.warnings.add(`invalid regex in policy '${name}': ${pattern.error}`);
    return false;
  }
  if (call.isDamaged && text.includes("\ufffd")) throw new Error("regex match on an invalid byte sequence in UTF-8");
  return new RegExp(isAscii(text) ? pattern.ascii : pattern.source, pattern.flags).test(text);
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** The field of the tool's input that a policy looks at. */
function hookerFieldOf({ matchField }: LoadedPolicies, { event }: HookerCall): string {
  return matchField ?? MATCHED_FIELDS.get(event["tool_name"]) ?? "command";
}

/** The text that a pattern is compared with. */
function matchedText(policy: LoadedPolicies, call: HookerCall): string {
  const { event, eventName } = call;
  if (eventName === "UserPromptSubmit") return toRubyText(event["prompt"]);
  const input = toolInput(call);
  const field = hookerFieldOf(policy, call);
  const value = Object.hasOwn(input, field) ? input[field] : null;
  return value === null ? JSON.stringify(input) : toRubyText(value);
}

export function toolInput({ event }: HookerCall): Record<string, unknown> {
  const input = event["tool_input"];
  return isRecord(input) ? input : {};
}

const DEFAULT_MODEL = "gemma3:1b";

/** Asks the classifier of every policy that has one, in order. Any failure is a no. */
export function classifyAll(policies: readonly MatchedPolicy[], call: HookerCall): MatchedPolicy[] {
  return policies.filter(({ when }) => when === null || meetsCondition(when, call));
}

function meetsCondition({ condition, model }: { condition: string; model: string | null }, call: HookerCall): boolean {
  const screen = call.env["SCREEN_HOME"];
  const asked = { condition, model: model ?? DEFAULT_MODEL };
  const answer = screen ? askScreen(screen, asked, call) : askOllama(asked, call);
  return strip(answer).toLowerCase().startsWith("yes");
}

interface Question {
  condition: string;
  model: string;
}

function askScreen(screen: string, question: Question, call: HookerCall): string {
  const program = `${screen}/bin/classify`;
  const { file_path, command, content } = toolInput(call);
  const given = { ...question, file_path, command, prompt: call.event["prompt"] ?? toolInput(call)["prompt"], content };
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  const result = runHookerProgram({ program, input: JSON.stringify(Object.fromEntries(present)) }, call);
  return answerOf(result, { name: "classify", missing: `classify not found at ${program}` }, call);
}

function askOllama({ condition, model }: Question, call: HookerCall): string {
  const input = toRubyText(call.event["prompt"] ?? toolInput(call)["command"]);
  const task =
    'You are a classifier. Respond with exactly "yes" if the following condition applies to the input. ' +
    'Otherwise respond "no". Output only "yes" or "no".';
  const prompt = `${task}\n\nCondition: ${condition}\n\nInput: ${input}`;
  const result = runHookerProgram({ program: "ollama", arguments: ["run", model], input: prompt }, call);
  return answerOf(result, { name: "ollama", missing: "ollama not found" }, call);
}

function answerOf(
  { stdout, status, failure }: ProgramResult,
  said: { name: string; missing: string },
  { warnings }: HookerCall,
): string {
  if (status === 0 && failure === null) return stdout;
  if (failure === "missing") warnings.add(said.missing);
  else warnings.add(failure === null ? `${said.name} exited with ${status}` : `classification failed: ${failure}`);
  return "";
}
