import type { HookFacts } from "../../contract/ledger.ts";
import type { Capability } from "../../contract/plan.ts";
import { compareOrdinal } from "../../kernel/order.ts";
import { Problem } from "../../kernel/problem.ts";
import { compileHookWithMap } from "../compiler/compile.ts";
import { handlerFileOf } from "../compiler/handler-module.ts";
import { nameHook } from "../compiler/refusal.ts";
import type { CardFiles } from "../files.ts";
import { LIFECYCLE_HOOK } from "./describe-lifecycle-hook.ts";
import { TOOL_POLICY } from "./describe-tool-policy.ts";
import { evaluateHook } from "./evaluate.ts";
import type { HookFault } from "./hook-faults.ts";

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
