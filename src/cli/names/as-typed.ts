import { type CommandScope, sayIn } from "../../kernel/advice.ts";
import { Problem } from "../../kernel/problem.ts";
import { toLine } from "./suggest.ts";

/** The problems of what only a person may do. */
const PERSONS = new Set(["DRWN_AGENT_SESSION", "DRWN_TERMINAL_NEEDED"]);
/** No hint consents for a person. */
const UNSAID = ["--yes", "-y", "--json"];

/**
 * The same problem with the typed line and all its flags as the hint: the operation that refuses what only a person may
 * do knows only its command.
 */
export function asTyped(
  problem: Problem,
  { id, argv }: { id: string; argv: readonly string[] },
  scope: CommandScope,
): Problem {
  const { code, message, details, cause } = problem;
  const hint = sayIn(scope, problem.hint ?? "");
  const words = id.split(":");
  const [before, after] = hint.split(`drwn ${words.join(" ")}`);
  if (!PERSONS.has(code) || before === undefined || after === undefined || /;|^[a-z]/u.test(after)) return problem;
  const line = toLine([...words, ...argv.filter((word) => !UNSAID.includes(word))]);
  return new Problem(code, message, { details, cause, hint: before + line });
}
