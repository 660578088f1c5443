import type { LifecycleHook, ToolPolicy } from "../../policy/define.ts";
import { readVariables } from "../outside/programs.ts";
import { runCommand } from "./command.ts";
import { handlerPolicy } from "./handler-policy.ts";
import { type HandlerTerms, toolsOf } from "./protocols.ts";

export interface CommandPolicyOptions {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

const MOST_OUTPUT = 65_536;

/**
 * A hook for which a program decides. The program runs in the agent's folder, with the environment variables that the
 * policy may see.
 */
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
      // At the deadline, this policy's process is stopped together with everything that it started.
      isSupervised: true,
      timeoutMs: terms.timeoutMs,
      maxOutputBytes: MOST_OUTPUT,
    });
    if (end.kind === "unstartable") throw new Error(`\`${command}\` cannot be started: ${end.reason}`);
    if (end.kind === "timeout") throw new Error(`\`${command}\` did not end within ${terms.timeoutMs} ms`);
    if (end.code === null) {
      if (terms.speaks !== "arawn") throw new Error(`\`${command}\` was ended by ${end.signal}`);
      // For Arawn, every end except a clean one means no.
      return { code: -1, output: end.stdout, errors: end.stderr.trim() || `the hook ended by ${end.signal}` };
    }
    // A blocking code counts however much the program prints, and for Arawn only codes count. Any other answer must be
    // complete.
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
