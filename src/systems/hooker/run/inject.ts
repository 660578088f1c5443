import type { HookerCall } from "./call.ts";
import { pathsOf, readContext } from "./context-files.ts";
import { strip } from "./ruby-text.ts";
import { commandOf, runHookerProgram } from "./run-program.ts";
import type { MatchedPolicy } from "./select.ts";

/**
 * The files, then the output of commands, then the names of the policies that asked for them; nothing if nothing was
 * found.
 */
export function injectedTexts(policies: readonly MatchedPolicy[], call: HookerCall): string[] {
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
