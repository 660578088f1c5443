import { createInterface } from "node:readline/promises";
import { clean } from "../../kernel/text.ts";
import { askOnLine, talk } from "./console.ts";
import { widthOf } from "./width.ts";

export interface PlainOption {
  /** What a person types for it. */
  key: string;
  /** What it is, and what drwn knows about it. */
  about: string;
}

export interface PlainQuestion {
  question: string;
  options: readonly PlainOption[];
  /** What to type, as the last line says it. */
  prompt: string;
  /** The answer that was typed; undefined if it isn't one, and the question is asked again. */
  read: (typed: string) => readonly string[] | undefined;
}

/** Asks in plain lines: nothing is redrawn, and every choice names its key. Undefined: the input has ended. */
export async function askPlainly({
  question,
  options,
  prompt,
  read,
}: PlainQuestion): Promise<readonly string[] | undefined> {
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
