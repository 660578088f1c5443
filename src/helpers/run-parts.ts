import type { Decision } from "../policy/define.ts";
import type { ToolPolicyEvent } from "../policy/event.ts";
import { spellingsIn } from "../policy/tools.ts";
import { isMapping } from "./is-type.ts";
import { readVariable, runProgram } from "./outside/programs.ts";
import { readProjectText } from "./outside/project-texts.ts";
import type { ContextFile, Inject, PolicyParts, PromptParts, Transform, WhenPrompt } from "./parts.ts";

const DEFAULT_MODEL = "gemma3:1b";

/** Asks the model whether the condition applies. An answer other than yes or no is an error. */
export async function classify<E extends { input?: unknown }>(
  whenPrompt: WhenPrompt<E>,
  evaluation: Evaluation<E>,
): Promise<boolean> {
  const { condition, model = DEFAULT_MODEL } = typeof whenPrompt === "string" ? { condition: whenPrompt } : whenPrompt;
  if (typeof model === "function") {
    const answer: unknown = await model({ condition, input: evaluation.input, event: evaluation.event });
    if (typeof answer !== "boolean") throw new Error("the classifier's answer is neither true nor false");
    return answer;
  }
  const screen = readVariable("SCREEN_HOME") ?? "";
  const answer =
    screen === "" ? askOllama(condition, model, evaluation) : askScreen(screen, { condition, model }, evaluation);
  const [word = ""] = /^[a-z]+/u.exec(answer.trim().toLowerCase()) ?? [];
  if (word !== "yes" && word !== "no") throw new Error(`the classifier answered neither yes nor no for: ${condition}`);
  return word === "yes";
}

function askOllama(condition: string, model: string, { input, left }: Pick<Evaluation, "input" | "left">): string {
  const task =
    'You are a classifier. Respond with exactly "yes" if the following condition applies to the input. ' +
    'Otherwise respond "no". Output only "yes" or "no".';
  const prompt = `${task}\n\nCondition: ${condition}\n\nInput: ${input}`;
  return runProgram?.({ program: "ollama", arguments: ["run", model], input: prompt, left: left() }) ?? "";
}

function askScreen(
  screen: string,
  question: { condition: string; model: string },
  { event, left }: { event: { input?: unknown }; left: () => number },
): string {
  const { file_path, command, prompt, content } = isMapping(event.input) ? event.input : {};
  const input = JSON.stringify({ ...question, file_path, command, prompt, content });
  return runProgram?.({ program: `${screen}/bin/classify`, arguments: [], input, left: left() }) ?? "";
}

/** Replaces one field of the input with the model's answer. An answer that changes nothing counts as no opinion. */
export async function rewrite(transform: Transform, evaluation: Evaluation): Promise<Decision | undefined> {
  const { input } = evaluation.event;
  if (!isMapping(input)) throw new Error("the tool's input has no fields to rewrite");
  const named = transform.field ?? evaluation.field;
  const field = spellingsIn(input, named)[0] ?? named;
  const answer = withoutFence(await ask(transform, evaluation));
  if (answer === "") throw new Error("the model answered nothing");
  return input[field] === answer ? undefined : { action: "allow", updatedInput: { ...input, [field]: answer } };
}

async function ask({ prompt, context, model }: Transform, { event, left }: Evaluation): Promise<string> {
  const request = promptFor(tagged(context), event.input, prompt);
  if (typeof model === "function") {
    const answer: unknown = await model({ prompt: request, event });
    if (typeof answer !== "string") throw new Error("the model's answer isn't text");
    return answer;
  }
  const given = ["-p", ...(model === undefined ? [] : ["--model", model])];
  return runProgram?.({ program: "claude", arguments: given, input: request, left: left() }) ?? "";
}

function promptFor(context: readonly string[], input: unknown, instructions: string): string {
  return [
    ...(context.length === 0 ? [] : [`<context>\n${context.join("\n\n")}\n</context>`]),
    `<current_input>\n${JSON.stringify(input, null, 2)}\n</current_input>`,
    `<instructions>\n${instructions}\n</instructions>`,
    "Return ONLY the transformed value. No explanation, no markdown fencing.",
  ].join("\n\n");
}

/** Removes the fence that models put around code although they are told not to. */
function withoutFence(answer: string): string {
  return answer
    .trim()
    .replace(/^```[^\n]*\n/u, "")
    .replace(/```$/u, "")
    .trim();
}

/** The texts of files and the output of a command; undefined: there is nothing to add. */
export function contextFor(
  { files, command }: Inject,
  { input, left }: Pick<Evaluation, "input" | "left">,
): string | undefined {
  const texts = tagged(files);
  if (command !== undefined) {
    const printed = runProgram?.({ program: "/bin/sh", arguments: ["-c", command], input, left: left() });
    texts.push((printed ?? "").trim());
  }
  const context = texts.filter((text) => text !== "").join("\n\n");
  return context === "" ? undefined : context;
}

/** The texts, each between tags with its name, in the given order. A file that cannot be read is an error. */
function tagged(files: ContextFile | readonly ContextFile[] | undefined): string[] {
  return [files ?? []].flat().map((file) => {
    const { name, text } = typeof file === "string" ? readText(file) : file;
    return `<${name}>\n${text}\n</${name}>`;
  });
}

function readText(file: string): { name: string; text: string } {
  if (readProjectText === undefined) throw new Error(`${file} cannot be read`);
  return readProjectText(file);
}

/** A tool call, or a lifecycle event. */
type Judged = { input?: unknown };

/** What the parts of a policy share while it judges one call or prompt. */
export interface Evaluation<E extends Judged = ToolPolicyEvent> {
  event: E;
  /** The text that the policy was matched against. */
  input: string;
  /** The field that contains it. */
  field: string;
  /** How many milliseconds are left. */
  left: () => number;
}

/** Milliseconds for starting a policy's process, and for saying what took too long. */
const RESERVE_MS = 500;

export function startEvaluation<E extends Judged>(
  event: E,
  { field, input, timeoutMs }: { field: string; input: string; timeoutMs: number },
): Evaluation<E> {
  const end = Date.now() + timeoutMs - Math.min(RESERVE_MS, timeoutMs / 4);
  return { event, field, input, left: () => Math.max(1, end - Date.now()) };
}

/**
 * Refuses a policy that uses capabilities its hook doesn't declare. Returns whether it asks a model or runs a command.
 */
export function requireCapabilities(parts: PolicyParts | PromptParts): boolean {
  const { whenPrompt, inject } = parts;
  const transform = "transform" in parts ? parts.transform : undefined;
  const classifier = typeof whenPrompt === "string" ? undefined : whenPrompt?.model;
  const usesOllama = whenPrompt !== undefined && typeof classifier !== "function";
  const usesClaude = transform !== undefined && typeof transform.model !== "function";
  const runs = [usesOllama && "ollama", usesClaude && "claude", inject?.command !== undefined && "a command"];
  const [program] = runs.filter((name) => name !== false);
  if (program !== undefined && runProgram === undefined) throw undeclared(`runs ${program}`, "exec");
  const path = [transform?.context ?? inject?.files ?? []].flat().find((file) => typeof file === "string");
  if (path !== undefined && readProjectText === undefined) throw undeclared(`reads ${path}`, "fs-read");
  return program !== undefined || typeof classifier === "function" || transform !== undefined;
}

function undeclared(what: string, capability: string): Error {
  return new Error(`it ${what}, and its hook does not declare the capability ${capability}`);
}
