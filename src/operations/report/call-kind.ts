import { commandsOf } from "../../helpers/shell/unwrap.ts";
import type { JournalLine } from "../../journal/line.ts";

const LONGEST_REASON = 80;
const MOST_COMMANDS = 3;

/** What calls are grouped by: their programs if the journal keeps inputs, else the reason for the verdict. */
export function callKind({ tool, phase, input, reason, problem }: JournalLine): string {
  const name = tool ?? phase;
  const command = input === undefined ? undefined : commandIn(input);
  if (command !== undefined) return `${name}: ${command}`;
  const why = reason ?? problem ?? "";
  if (why === "") return name;
  return `${name}: ${why.length > LONGEST_REASON ? `${why.slice(0, LONGEST_REASON)}…` : why}`;
}

/** `git push` of `git -C x push origin`; undefined: it runs no commands, or they cannot be read. */
function commandIn(input: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed !== "object" || parsed === null || !("command" in parsed)) return undefined;
    const { command } = parsed;
    if (typeof command !== "string") return undefined;
    const kinds = new Set(commandsOf(command).map(({ program, arguments: words }) => nameOf(program, words)));
    return kinds.size === 0 ? undefined : [...kinds].slice(0, MOST_COMMANDS).join(", ");
  } catch {
    // A kept input may be cut off, and drwn may not be able to read the command's language.
    return undefined;
  }
}

/** If the first word is neither an option nor a path, it is the program's subcommand. */
function nameOf(program: string, [first = ""]: readonly string[]): string {
  return /^[a-z][a-z-]{1,20}$/u.test(first) ? `${program} ${first}` : program;
}
