import type { ToolPolicy } from "../../policy/define.ts";
import type { LifecycleHook } from "../../policy/define-hook.ts";
import { readVariables } from "../outside/programs.ts";
import { runCommand } from "./command.ts";
import { type HandlerTerms, toolsOf } from "./handler.ts";
import { handlerPolicy } from "./handler-policy.ts";

export interface CommandPolicyOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

const MOST_OUTPUT = 65_536;

/** A hook whose word is a program's. It runs in the folder that the agent works in, with what the policy may see of the environment. */
export function commandPolicy(
  terms: HandlerTerms,
  { command, args, env }: CommandPolicyOptions,
): LifecycleHook | ToolPolicy {
  return handlerPolicy(terms, async ({ text, variables, cwd }) => {
    const end = await runCommand({
      command,
      args,
      input: text,
      env: definedOf({ ...readVariables(), ...env, ...variables }),
      ...(cwd === undefined ? {} : { cwd }),
      // The process around this policy is stopped at its deadline, with everything that it started.
      isSupervised: true,
      timeoutMs: terms.timeoutMs,
      maxOutputBytes: MOST_OUTPUT,
    });
    if (end.kind === "unstartable") throw new Error(`\`${command}\` cannot be started: ${end.reason}`);
    if (end.kind === "timeout") throw new Error(`\`${command}\` did not end within ${terms.timeoutMs} ms`);
    if (end.code === null) {
      if (terms.speaks !== "arawn") throw new Error(`\`${command}\` was ended by ${end.signal}`);
      // To Arawn every end but a clean one is a no.
      return { code: -1, output: end.stdout, errors: end.stderr.trim() || `the hook ended by ${end.signal}` };
    }
    // A code that blocks does so however much is said beside it, and to Arawn only codes say anything; of other answers only the whole counts.
    if (end.code === 0 && end.truncated && toolsOf(terms.speaks) !== "arawn")
      throw new Error(`\`${command}\` printed more than ${MOST_OUTPUT} bytes`);
    return { code: end.code, output: end.stdout, errors: end.stderr };
  });
}

function definedOf(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
