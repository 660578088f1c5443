import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { isRecord } from "../../../hook-base/shape.ts";
import { capOutput } from "../../../hook-base/write.ts";
import type { HookerAction } from "../data/policies.ts";
import type { HookerCall } from "./call.ts";
import { type LoadedPolicies, statOf } from "./load.ts";
import { strip } from "./ruby-text.ts";
import { commandOf, runHookerProgram } from "./run-program.ts";
import { classifyAll, type MatchedPolicy, selectHookerPolicies, toolInput } from "./select.ts";

/** What hooker prints for this event; empty if it says nothing. */
export function answerFor(policies: readonly LoadedPolicies[], call: HookerCall): string {
  const matched = classifyAll(selectHookerPolicies(policies, call), call);
  const gate = matched.find(({ action }) => action?.kind === "gate");
  return gate === undefined ? change(matched, call) : print(call, denial(gate));
}

function denial({ name, action }: MatchedPolicy): object {
  const message = action?.kind === "gate" ? action.message : null;
  return { permissionDecision: "deny", permissionDecisionReason: message ?? `Blocked by policy: ${name}` };
}

function change(matched: readonly MatchedPolicy[], call: HookerCall): string {
  const { input, failure } = transformInput(matched, call);
  const texts = injectedTexts(matched, call);
  const { lines } = call.warnings;
  if (lines.length > 0) texts.push(`<hooker-warnings>\n${capOutput(lines.join("\n"))}\n</hooker-warnings>`);
  if (failure !== null && input === null) texts.push(`hooker: ${failure}`);
  if (input === null && texts.length === 0) return "";
  return print(call, {
    ...(input === null ? {} : { updatedInput: input }),
    ...(texts.length === 0 ? {} : { additionalContext: texts.join("\n\n") }),
  });
}

function print({ eventName }: HookerCall, output: object): string {
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: eventName, ...output } })}\n`;
}

/**
 * The files, then the output of commands, then the names of the policies that asked for them; nothing if nothing was
 * found.
 */
function injectedTexts(policies: readonly MatchedPolicy[], call: HookerCall): string[] {
  const injects = policies.filter(({ action }) => action?.kind === "inject");
  const paths = pathsOf(injects, ({ action }) => (action?.kind === "inject" ? action.files : []));
  const files = readContext(paths, call);
  const printed = injects.flatMap((policy) => {
    const command = policy.action?.kind === "inject" ? policy.action.command : null;
    const text = command === null ? "" : runCommand(command, policy.root, call);
    return text === "" ? [] : [text];
  });
  const texts = [...files, ...printed];
  const names = injects.map(({ name }) => name).join(", ");
  return texts.length === 0 ? [] : [...texts, `<hooker:matched>${names}</hooker:matched>`];
}

function runCommand(command: string, cwd: string, call: HookerCall): string {
  const { warnings } = call;
  const result = runHookerProgram({ ...commandOf(command), cwd, input: JSON.stringify(call.event) }, call);
  if (result.failure === "missing") warnings.add(`context_command not found: ${command}`);
  else if (result.failure !== null) warnings.add(`context_command error: ${result.failure}`);
  else if (result.status === 0) return strip(result.stdout);
  else if (strip(result.stderr) !== "") warnings.add(`context_command failed: ${strip(result.stderr)}`);
  return "";
}

type Transform = Extract<HookerAction, { kind: "transform" }>;

interface TransformResult {
  /** Null: nothing changed. */
  input: Record<string, unknown> | null;
  /** Why the model's answer is missing; null: it isn't. */
  failure: string | null;
}

/** Runs commands one after another, then calls `claude` once for all the others. */
function transformInput(policies: readonly MatchedPolicy[], call: HookerCall): TransformResult {
  const transforms = policies.flatMap((policy) =>
    policy.action?.kind === "transform" ? [{ policy, action: policy.action }] : [],
  );
  let input: Record<string, unknown> | null = null;
  for (const { policy, action } of transforms) {
    const change = action.command === null ? null : transformByCommand(policy, action.command, call);
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

function transformByCommand(policy: MatchedPolicy, command: string, call: HookerCall): Record<string, unknown> | null {
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

const LARGEST_FILE = 16 * 1024 * 1024;

/** Files by the path that hooker joins, in order, each once. */
function pathsOf(
  policies: readonly LoadedPolicies[],
  filesOf: (policy: LoadedPolicies) => readonly string[],
): string[] {
  return [
    ...new Set(
      policies.flatMap((policy) =>
        filesOf(policy).map((file) =>
          file.startsWith("/") ? file : `${policy.root === "/" ? "" : policy.root}/${file}`,
        ),
      ),
    ),
  ];
}

/** Each file's text between tags of its name. A file that cannot be read becomes a warning. */
function readContext(paths: readonly string[], { warnings }: HookerCall): string[] {
  return paths.flatMap((path) => {
    const content = read(path);
    if (content === undefined) warnings.add(`context file not found: ${path}`);
    else if (content === null) warnings.add(`context file is larger than ${LARGEST_FILE} bytes: ${path}`);
    else return [`<${basename(path)}>\n${content}\n</${basename(path)}>`];
    return [];
  });
}

/** Undefined: it isn't there; null: it is too large. */
function read(path: string): string | null | undefined {
  const stat = statOf(path);
  // A pipe or a device could keep the agent waiting for ever.
  if (stat === undefined || !stat.isFile()) return undefined;
  if (stat.size > LARGEST_FILE) return null;
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
