import type { Decision, HookEvent, HookOutcome, LifecycleHook, ToolPolicy } from "../policy/define.ts";
import { matchedTextOf } from "./match-field.ts";
import { type PromptEvent, prepareOn, preparePromptMatch } from "./on.ts";
import type { PolicyParts, PromptParts } from "./parts.ts";
import { classify, contextFor, type Evaluation, requireCapabilities, rewrite, startEvaluation } from "./run-parts.ts";

/**
 * A policy in hooker's words: when it applies, and whether it then blocks the call or the prompt, rewrites the call or
 * adds text. With `on: { event: "UserPromptSubmit" }` it is a lifecycle hook. It throws for parts that cannot work, so
 * that the card cannot be packed.
 */
export function policy(name: string, parts: PromptParts): LifecycleHook<"prompt.submit">;
export function policy(name: string, parts: PolicyParts): ToolPolicy;
export function policy(name: string, parts: PolicyParts | PromptParts): ToolPolicy | LifecycleHook<"prompt.submit"> {
  try {
    return isOnPrompt(parts) ? promptPolicy(name, parts) : build(name, parts);
  } catch (error) {
    throw new Error(`policy ${JSON.stringify(name)}: ${error instanceof Error ? error.message : ""}`);
  }
}

function isOnPrompt(parts: PolicyParts | PromptParts): parts is PromptParts {
  return parts.on?.event === "UserPromptSubmit";
}

function build(name: string, parts: PolicyParts): ToolPolicy {
  const { on = {}, whenPrompt, policyKind = "enforcement" } = parts;
  const act = toolAction(name, parts);
  const { applies, field } = prepareOn(on);
  const isSlow = requireCapabilities(parts);
  const timeoutMs = parts.timeoutMs ?? (isSlow ? LONGEST_MS : undefined);
  const matcher = matcherFor(on.tool);
  return {
    policyKind,
    ...(matcher === undefined ? {} : { matcher }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    beforeToolCall(event) {
      if (!applies(event)) return undefined;
      const matched = field(event);
      const input = matchedTextOf(event, matched);
      const evaluation = startEvaluation(event, { field: matched, input, timeoutMs: timeoutMs ?? LONGEST_MS });
      return whenPrompt === undefined
        ? act(evaluation)
        : classify(whenPrompt, evaluation).then((fires) => (fires ? act(evaluation) : undefined));
    },
  };
}

type Action = (evaluation: Evaluation) => Decision | undefined | Promise<Decision | undefined>;

function toolAction(name: string, { gate, transform, inject }: PolicyParts): Action {
  if ([gate, transform, inject].filter((part) => part !== undefined).length !== 1) {
    throw new Error("it needs one of `gate`, `transform` and `inject`, and no more");
  }
  if (transform !== undefined) return (evaluation) => rewrite(transform, evaluation);
  if (inject !== undefined) {
    return (evaluation) => {
      const additionalContext = contextFor(inject, evaluation);
      return additionalContext === undefined ? undefined : { action: "allow", additionalContext };
    };
  }
  return () => ({ action: "deny", reason: gateReason(name, gate) });
}

type Outcome = HookOutcome<"prompt.submit"> | undefined;

/** A policy in hooker's words for the user's prompts: it rejects a prompt, or adds text to it. */
function promptPolicy(name: string, parts: PromptParts): LifecycleHook<"prompt.submit"> {
  const { on, whenPrompt, policyKind = "enforcement" } = parts;
  const act = promptAction(name, parts);
  const applies = preparePromptMatch(on);
  const isSlow = requireCapabilities(parts);
  const timeoutMs = parts.timeoutMs ?? (isSlow ? LONGEST_MS : undefined);
  return {
    event: "prompt.submit",
    onFailure: policyKind === "enforcement" ? "block" : "proceed",
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    run(event: HookEvent<"prompt.submit">): Outcome | Promise<Outcome> {
      const { prompt } = event.input;
      if (!applies(prompt)) return undefined;
      const evaluation = startEvaluation(event, { field: "prompt", input: prompt, timeoutMs: timeoutMs ?? LONGEST_MS });
      return whenPrompt === undefined
        ? act(evaluation)
        : classify(whenPrompt, evaluation).then((fires) => (fires ? act(evaluation) : undefined));
    },
  };
}

function promptAction(name: string, parts: PromptParts): (evaluation: Evaluation<PromptEvent>) => Outcome {
  const { gate, inject } = parts;
  if ("transform" in parts)
    throw new Error("no agent takes another prompt in the place of the user's: `transform` is for tool calls");
  if ((gate === undefined) === (inject === undefined))
    throw new Error("it needs one of `gate` and `inject`, and no more");
  if (inject === undefined) return () => ({ action: "reject", reason: gateReason(name, gate) });
  return (evaluation) => {
    const additionalContext = contextFor(inject, evaluation);
    return additionalContext === undefined ? undefined : { action: "proceed", additionalContext };
  };
}

const MOST_ALTERNATIVES = 64;
const MOST_BYTES = 128;
const MOST_STARS = 4;

/**
 * A matcher for the same tools as the pattern, so that the policy isn't asked about others. Undefined: no glob means
 * the same as the pattern.
 */
function matcherFor(tool: string | RegExp | undefined): string | undefined {
  const source = typeof tool === "string" ? tool : tool?.flags.includes("i") === false ? tool.source : undefined;
  if (source === undefined || source.length > MOST_BYTES) return undefined;
  const alternatives = source.split("|");
  const globs = alternatives.map((alternative) => alternative.replaceAll(".*", "*"));
  const isGlob = globs.every((glob) => /^[\w:*-]+$/u.test(glob) && glob.split("*").length - 1 <= MOST_STARS);
  // In a regular expression, `a*` means any number of `a`.
  const hasBareStar = alternatives.some((alternative) => /(?<!\.)\*/u.test(alternative) || alternative.includes("**"));
  return isGlob && !hasBareStar && globs.length <= MOST_ALTERNATIVES ? globs.join("|") : undefined;
}

/** How many milliseconds a policy that asks a model or runs a command may take. */
const LONGEST_MS = 30_000;

/** The reason of a gate; if none is given, one that names the policy. */
function gateReason(name: string, gate: string | true | undefined): string {
  return typeof gate === "string" && gate.trim() !== "" ? gate : `Blocked by policy: ${name}`;
}
