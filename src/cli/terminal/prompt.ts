import { createInterface } from "node:readline/promises";
import {
  type CANCEL_SYMBOL,
  confirm,
  groupMultiselect,
  isCancel,
  multiselect,
  select,
  selectKey,
} from "@clack/prompts";
import { advise, type Text } from "../../kernel/advice.ts";
import { isTerminal } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { askOnLine, isPlain, talk } from "./console.ts";
import { widthOf, wrapLine } from "./style.ts";

/** A question was left without an answer: Ctrl-C, or the terminal is gone. */
class BrokenOff extends Problem {}

/** A terminal that says 0 columns doesn't know its width, and the prompts would print one character a line. */
function terminal(): NodeJS.WriteStream {
  const { stderr } = process;
  if (stderr.columns === 0) Object.assign(stderr, USUAL_SIZE);
  return stderr;
}

const USUAL_SIZE = { columns: 80, rows: 24 };

interface Question {
  /** The flag that says yes on the command line instead. */
  flag: string;
  command: Text;
  doing?: string;
}

/** Without a terminal nobody can answer: `flag` says so instead. */
function requireReader({ flag, command, doing = "consent" }: Question): void {
  if (isTerminal(0) && isTerminal(2)) return;
  throw new Problem("DRWN_CONSENT_NEEDED", `${doing} needs a person's yes, and there is no terminal to ask at`, {
    hint: advise`read what is above, then: ${command} ${flag}`,
  });
}

/** Asks a person. */
export async function askYes(question: string, about: Question): Promise<boolean> {
  requireReader(about);
  if (isPlain()) return (await askKey(question, [NO, YES], about)) === "y";
  return answered(await confirm({ ...drawn(question), initialValue: false }), about);
}

/** A key other than yes and no, and what it does. */
export interface Look {
  key: string;
  label: string;
  show: () => void | Promise<void>;
}

const NO = { value: "n", label: "no" };
const YES = { value: "y", label: "yes" };

interface Looks {
  looks: readonly Look[];
  /** Other answers than yes and no. */
  others?: readonly { value: string; label: string }[];
}

/**
 * Asks a person, who may first press other keys to look at something, as often as they like. The answer is `y`, `n` or
 * one of the others; only `y` is a yes.
 */
export async function askAfterLooks(
  question: string,
  { looks, others = [], ...about }: Question & Looks,
): Promise<string> {
  requireReader(about);
  const options = [NO, YES, ...others, ...looks.map(({ key, label }) => ({ value: key, label }))];
  for (;;) {
    const key = isPlain()
      ? await askKey(question, options, about)
      : answered(await selectKey({ ...drawn(question), options }), about);
    const look = looks.find((one) => one.key === key);
    if (look === undefined) return key;
    await look.show();
  }
}

export interface Choice {
  value: string;
  label: string;
  hint: string;
}

/** Any number of them, also none. */
export async function chooseSome(question: string, choices: readonly Choice[], about: Question): Promise<string[]> {
  requireReader(about);
  if (isPlain()) return askNumbers(question, choices, about);
  return answered(
    await multiselect<string>({ ...drawn(question), options: choices.map(drawnChoice), required: false }),
    about,
  );
}

/** The same for choices in groups, each of which can be taken whole. */
export async function chooseFromGroups(
  question: string,
  groups: Record<string, Choice[]>,
  about: Question,
): Promise<string[]> {
  requireReader(about);
  const inGroups = Object.entries(groups);
  if (isPlain()) {
    const choices = inGroups.flatMap(([group, all]) => all.map((one) => ({ ...one, label: `${group}: ${one.label}` })));
    return askNumbers(question, choices, about);
  }
  const options = Object.fromEntries(inGroups.map(([group, all]) => [group, all.map(drawnChoice)]));
  return answered(await groupMultiselect<string>({ ...drawn(question), options, required: false }), about);
}

/** Exactly one. */
export async function chooseOne(question: string, choices: Choice[], about: Question): Promise<string> {
  requireReader(about);
  if (!isPlain())
    return answered(await select<string>({ ...drawn(question), options: choices.map(drawnChoice) }), about);
  const [chosen = ""] = await askNumbers(question, choices, { ...about, isOne: true });
  return chosen;
}

/** The library breaks long lines inside words, and adds its own frame. */
function drawn(question: string): { message: string; output: NodeJS.WriteStream } {
  const to = terminal();
  return { message: fitIn(question, to.columns - FRAME), output: to };
}

function drawnChoice({ value, label, hint }: Choice): Choice {
  return { value, label: fitIn(label, terminal().columns - FRAME - MARK), hint };
}

function fitIn(text: string, columns: number): string {
  return wrapLine(text, columns).join("\n");
}

const FRAME = 4;
const MARK = 2;

async function askKey(
  question: string,
  options: readonly { value: string; label: string }[],
  about: Question,
): Promise<string> {
  const keys = options.map(({ value }) => value);
  const [key] = requireAnswer(
    await askPlainly({
      question,
      options: options.map(({ value, label }) => ({ key: value, about: label })),
      prompt: `Type ${keys.slice(0, -1).join(", ")} or ${keys.at(-1)}, then Enter`,
      read: (typed) => (keys.includes(typed.toLowerCase()) ? [typed.toLowerCase()] : undefined),
    }),
    about,
  );
  return key ?? "";
}

async function askNumbers(
  question: string,
  choices: readonly Choice[],
  { isOne = false, ...about }: Question & { isOne?: boolean },
): Promise<string[]> {
  const read = (typed: string): string[] | undefined => {
    const numbers = typed === "" ? [] : typed.split(/[\s,]+/u);
    const values = numbers.flatMap((number) => choices[Number(number) - 1]?.value ?? []);
    return values.length !== numbers.length || (isOne && values.length !== 1) ? undefined : [...new Set(values)];
  };
  const options = choices.map(({ label, hint }, at) => {
    return { key: `${at + 1}`, about: hint === "" ? label : `${label}: ${hint}` };
  });
  const prompt = isOne
    ? "Type its number, then Enter"
    : "Type their numbers with spaces between, or nothing for none, then Enter";
  return [...requireAnswer(await askPlainly({ question, options, prompt, read }), about)];
}

function requireAnswer<T>(answer: T | undefined, about: Question): T {
  if (answer === undefined) throw brokenOff(about);
  return answer;
}

function answered<T>(answer: T | typeof CANCEL_SYMBOL, about: Question): T {
  if (isCancel(answer)) throw brokenOff(about);
  return answer;
}

function brokenOff({ command }: Question): BrokenOff {
  return new BrokenOff("DRWN_CONSENT_DECLINED", "the question was not answered", { hint: command });
}

interface PlainOption {
  /** What a person types for it. */
  key: string;
  /** What it is, and what drwn knows about it. */
  about: string;
}

interface PlainQuestion {
  question: string;
  options: readonly PlainOption[];
  /** What to type, as the last line says it. */
  prompt: string;
  /** The answer that was typed; undefined if it isn't one, and the question is asked again. */
  read: (typed: string) => readonly string[] | undefined;
}

/** Asks in plain lines: nothing is redrawn, and every choice names its key. Undefined: the input has ended. */
async function askPlainly({ question, options, prompt, read }: PlainQuestion): Promise<readonly string[] | undefined> {
  const width = Math.max(0, ...options.map(({ key }) => widthOf(key)));
  talk(question);
  for (const { key, about } of options) talk(`  ${key.padEnd(width)}  ${about}`);
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    for (;;) {
      askOnLine(`${prompt}: `);
      const typed = await nextLine(lines);
      if (typed === undefined) return undefined;
      const answer = read(typed.trim());
      if (answer !== undefined) return answer;
      talk(`\`${clean(typed.trim(), 80)}\` isn't an answer`);
    }
  } finally {
    lines.close();
  }
}

function nextLine(lines: ReturnType<typeof createInterface>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const ended = (): void => resolve(undefined);
    lines.once("close", ended);
    lines.once("line", (line) => {
      lines.off("close", ended);
      resolve(line);
    });
  });
}
