import { confirm, isCancel } from "@clack/prompts";
import { Problem } from "../../kernel/problem.ts";
import { isTerminal } from "../../kernel/terminal.ts";

/** A question that was left without an answer: Ctrl-C, or the terminal is gone. */
export class BrokenOff extends Problem {}

/** Asks a person. Without a terminal nobody can answer: `flag` says so instead. */
export async function askYes(
  question: string,
  { flag, command, doing = "consent" }: { flag: string; command: string; doing?: string },
): Promise<boolean> {
  if (!isTerminal(0) || !isTerminal(2)) {
    throw new Problem("DRWN_CONSENT_NEEDED", `${doing} needs a person's yes, and there is no terminal to ask at`, {
      hint: `read what is above, then: ${command} ${flag}`,
    });
  }
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  if (isCancel(answer))
    throw new BrokenOff("DRWN_CONSENT_DECLINED", "the question was not answered", { hint: command });
  return answer;
}
