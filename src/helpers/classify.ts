import type { Evaluation } from "./evaluation.ts";
import { isMapping } from "./is-type.ts";
import { readVariable, runProgram } from "./outside/programs.ts";
import type { WhenPrompt } from "./parts.ts";

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
