import { isRecord } from "../../../hot/shape.ts";
import type { HookerAction } from "../data/policies.ts";
import type { HookerCall } from "./call.ts";
import { pathsOf, readContext } from "./context-files.ts";
import { toolInput } from "./matched-text.ts";
import { strip } from "./ruby-text.ts";
import { commandOf, runHookerProgram } from "./run-program.ts";
import type { MatchedPolicy } from "./select.ts";

type Transform = Extract<HookerAction, { kind: "transform" }>;

export interface TransformResult {
  /** Null: nothing changed. */
  input: Record<string, unknown> | null;
  /** Why the model's answer is missing; null: it isn't. */
  failure: string | null;
}

/** Runs commands one after another, then calls `claude` once for all the others. */
export function transformInput(policies: readonly MatchedPolicy[], call: HookerCall): TransformResult {
  const transforms = policies.flatMap((policy) =>
    policy.action?.kind === "transform" ? [{ policy, action: policy.action }] : [],
  );
  let input: Record<string, unknown> | null = null;
  for (const { policy, action } of transforms) {
    const change = action.command === null ? null : runCommand(policy, action.command, call);
    if (change !== null) input = { ...(input ?? toolInput(call)), ...change };
  }
  const asked = transforms.filter(({ action }) => action.command === null);
  const [first] = asked;
  if (first === undefined) return { input, failure: null };
  const current = input ?? toolInput(call);
  const answer = askClaude(asked, first.action, { current, call });
  if ("failure" in answer) return { input, failure: answer.failure };
  if (answer.text === "") return { input, failure: null };
  return { input: { ...current, [first.action.field ?? first.policy.field]: answer.text }, failure: null };
}

function runCommand(policy: MatchedPolicy, command: string, call: HookerCall): Record<string, unknown> | null {
  const run = { ...commandOf(command), cwd: policy.root, input: JSON.stringify(call.event) };
  const { stdout, status, failure } = runHookerProgram(run, call);
  const printed = strip(stdout);
  if (failure !== null) {
    call.warnings.add(`transform command '${policy.name}' failed: ${failure === "missing" ? "not found" : failure}`);
    return null;
  }
  if (status !== 0 || printed === "") return null;
  try {
    const change: unknown = JSON.parse(printed);
    if (isRecord(change)) return change;
    call.warnings.add(`transform command '${policy.name}' returned invalid JSON: it isn't an object`);
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    call.warnings.add(`transform command '${policy.name}' returned invalid JSON: ${message}`);
  }
  return null;
}

interface TransformQuestion {
  policy: MatchedPolicy;
  action: Transform;
}

function askClaude(
  asked: readonly TransformQuestion[],
  { model }: Transform,
  { current, call }: { current: unknown; call: HookerCall },
): { text: string } | { failure: string } {
  const paths = pathsOf(
    asked.map(({ policy }) => policy),
    ({ action }) => (action?.kind === "transform" ? action.context : []),
  );
  const prompt = promptFor(
    readContext(paths, call),
    current,
    asked.map(({ action }) => action.prompt ?? ""),
  );
  const { CLAUDECODE: _, ...env } = call.env;
  const given = ["-p", ...(model === null ? [] : ["--model", model])];
  const result = runHookerProgram(
    { program: "claude", arguments: given, input: prompt, isStderrShown: true },
    { ...call, env },
  );
  if (result.status === 0 && result.failure === null) return { text: withoutFence(result.stdout) };
  const failure =
    result.failure === "missing"
      ? "claude CLI not found"
      : result.failure === null
        ? `claude -p exited with ${result.status}`
        : `claude -p failed: ${result.failure}`;
  call.warnings.add(failure);
  return { failure };
}

function promptFor(context: readonly string[], input: unknown, instructions: readonly string[]): string {
  const numbered = instructions.map((instruction, at) => `${at + 1}. ${instruction}`);
  return [
    ...(context.length === 0 ? [] : [`<context>\n${context.join("\n\n")}\n</context>`]),
    `<current_input>\n${JSON.stringify(input, null, 2)}\n</current_input>`,
    `<instructions>\n${(numbered.length > 1 ? numbered : instructions).join("\n")}\n</instructions>`,
    "Return ONLY the transformed value. No explanation, no markdown fencing.",
  ].join("\n\n");
}

/** Models put a fence around code although they are told not to. */
function withoutFence(answer: string): string {
  return strip(
    strip(answer)
      .replace(/^```[^\n]*\n/u, "")
      .replace(/\n?```$/u, ""),
  );
}
