import type { ReadCommand } from "./commands.ts";
import { unquoted } from "./parse/marks.ts";
import { printedText } from "./print.ts";

/** A text that a shell runs, with its `$0`, `$1` and so on. */
interface ShellText {
  text: string;
  positions?: string[];
}

export const STDIN = /^\/dev\/(?:stdin|fd\/0)$/u;

/** What this call of a shell runs, as far as the call shows: `-c`, a here-document, what `echo` prints into it. */
export function textForShell(given: readonly string[], { redirections, fedBy }: ReadCommand): ShellText[] {
  let isCommand = false;
  let readsInput = false;
  let at = 0;
  for (; at < given.length; at++) {
    const argument = given[at] ?? "";
    if (argument === "--" || argument === "-") {
      at++;
      break;
    }
    if (!/^[-+]./u.test(argument)) break;
    if (argument === "--rcfile" || argument === "--init-file") at++;
    if (argument.startsWith("--")) continue;
    isCommand ||= argument.startsWith("-") && argument.includes("c");
    readsInput ||= argument.includes("s");
    // `-o` and `-O` name a setting in the next argument.
    at += argument.match(/[oO]/gu)?.length ?? 0;
  }
  const [text, ...positions] = given.slice(at);
  if (isCommand) return text === undefined ? [] : [{ text, positions }];
  if (text !== undefined && !readsInput && !STDIN.test(text)) return [];
  // `sh -s -- one two` reads its script from the input, and gives it these words.
  const words = text === undefined || STDIN.test(text) ? {} : { positions: ["sh", text, ...positions] };
  return [...redirections.flatMap(textOf), ...fedBy.flatMap(printedBy)].map((one) => ({ ...one, ...words }));
}

function textOf({ operator, target, body }: ReadCommand["redirections"][number]): ShellText[] {
  if (operator === "<<<") return [{ text: target }];
  return body === undefined ? [] : [{ text: body }];
}

/** What a command prints, if it prints its arguments or its input. */
function printedBy({ words: [program, ...given], redirections }: ReadCommand): ShellText[] {
  if (program === "cat" && given.length === 0) return redirections.flatMap(textOf);
  const words = given.map(unquoted);
  if (program === "echo") return [{ text: printedText(["echo", ...words]) ?? "" }];
  return program === "printf" ? [{ text: printedText(["printf", ...words]) ?? words.join(" ") }] : [];
}
