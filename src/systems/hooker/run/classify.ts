import type { HookerCall } from "./call.ts";
import { toolInput } from "./matched-text.ts";
import { strip, toRubyText } from "./ruby-text.ts";
import { type ProgramResult, runHookerProgram } from "./run-program.ts";
import type { MatchedPolicy } from "./select.ts";

const DEFAULT_MODEL = "gemma3:1b";

/** Asks the classifier of every policy that has one, in order. Any failure is a no. */
export function classifyAll(policies: readonly MatchedPolicy[], call: HookerCall): MatchedPolicy[] {
  return policies.filter(({ when }) => when === null || applies(when, call));
}

function applies({ condition, model }: { condition: string; model: string | null }, call: HookerCall): boolean {
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
