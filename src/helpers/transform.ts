import type { Decision } from "../policy/define.ts";
import { spellingsIn } from "../policy/tools.ts";
import { tagged } from "./context.ts";
import type { Evaluation } from "./evaluation.ts";
import { isMapping } from "./is-type.ts";
import { runProgram } from "./outside/programs.ts";
import type { Transform } from "./parts.ts";

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
