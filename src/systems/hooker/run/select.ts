import { Script } from "node:vm";
import type { HookerPattern } from "../data/policies.ts";
import type { HookerCall } from "./call.ts";
import type { LoadedPolicies } from "./load.ts";
import { hookerFieldOf, matchedText } from "./matched-text.ts";

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
