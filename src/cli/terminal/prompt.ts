import {
  type CANCEL_SYMBOL,
  confirm,
  groupMultiselect,
  isCancel,
  multiselect,
  select,
  selectKey,
} from "@clack/prompts";
import { Problem } from "../../kernel/problem.ts";
import { isTerminal } from "../../kernel/terminal.ts";

/** A question that was left without an answer: Ctrl-C, or the terminal is gone. */
export class BrokenOff extends Problem {}

/** One that says 0 columns does not know how wide it is; the prompts would print a character a line. */
function terminal(): NodeJS.WriteStream {
  const { stderr } = process;
  if (stderr.columns === 0) Object.assign(stderr, USUAL_SIZE);
  return stderr;
}

const USUAL_SIZE = { columns: 80, rows: 24 };

interface Question {
  /** Says the yes on the command line instead. */
  flag: string;
  command: string;
  doing?: string;
}

/** Without a terminal nobody can answer: `flag` says so instead. */
function requireReader({ flag, command, doing = "consent" }: Question): void {
  if (isTerminal(0) && isTerminal(2)) return;
  throw new Problem("DRWN_CONSENT_NEEDED", `${doing} needs a person's yes, and there is no terminal to ask at`, {
    hint: `read what is above, then: ${command} ${flag}`,
  });
}

/** Asks a person. */
export async function askYes(question: string, about: Question): Promise<boolean> {
  requireReader(about);
  return answered(await confirm({ message: question, initialValue: false, output: terminal() }), about);
}

/** What a key does beside yes and no. */
export interface Look {
  key: string;
  label: string;
  show: () => void | Promise<void>;
}

/** Asks a person who may look at something first, by keys of its own, as often as they like. Only `y` is a yes. */
export async function askAfterLooks(
  question: string,
  { looks, ...about }: Question & { looks: readonly Look[] },
): Promise<boolean> {
  requireReader(about);
  const options = [
    { value: "n", label: "no" },
    { value: "y", label: "yes" },
    ...looks.map(({ key, label }) => ({ value: key, label })),
  ];
  for (;;) {
    const key = answered(await selectKey({ message: question, options, output: terminal() }), about);
    const look = looks.find((one) => one.key === key);
    if (look === undefined) return key === "y";
    await look.show();
  }
}

export interface Choice {
  value: string;
  label: string;
  hint: string;
}

/** Any number of them, none as well. */
export async function chooseSome(question: string, choices: readonly Choice[], about: Question): Promise<string[]> {
  requireReader(about);
  const options = choices.map((choice) => ({ ...choice }));
  const asked = { message: question, options, required: false, output: terminal() };
  return answered(await multiselect<string>(asked), about);
}

/** The same, where they fall into groups, each of which can be taken whole. */
export async function chooseFromGroups(
  question: string,
  options: Record<string, Choice[]>,
  about: Question,
): Promise<string[]> {
  requireReader(about);
  const asked = { message: question, options, required: false, output: terminal() };
  return answered(await groupMultiselect<string>(asked), about);
}

/** Exactly one. */
export async function chooseOne(question: string, options: Choice[], about: Question): Promise<string> {
  requireReader(about);
  return answered(await select<string>({ message: question, options, output: terminal() }), about);
}

function answered<T>(answer: T | typeof CANCEL_SYMBOL, { command }: Question): T {
  if (isCancel(answer))
    throw new BrokenOff("DRWN_CONSENT_DECLINED", "the question was not answered", { hint: command });
  return answer;
}
