import type { ToolPolicyEvent } from "../policy/event.ts";
import { commandTextOf } from "./match-field.ts";
import type { ShellCommand } from "./shell/commands.ts";
import { commandsOf } from "./shell/unwrap.ts";

/**
 * Every simple command of a Bash call: in lists, pipes, subshells, substitutions, functions and branches, and those
 * that `sudo`, `env`, `xargs`, `bash -c` and others start. A call of a function or an alias that the same text defines
 * is followed by its body, with the arguments. Empty for a call without a shell text. Throws for a text that a shell
 * would refuse, so that an enforcement policy denies what it cannot read.
 */
export function commands(event: ToolPolicyEvent): ShellCommand[] {
  const text = commandTextOf(event);
  return text === null ? [] : commandsOf(text);
}
