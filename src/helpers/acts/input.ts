import type { Redirection, Step } from "../shell/commands.ts";
import { printedText } from "../shell/print.ts";

/** What a command reads, as far as the call shows: here-documents, here-strings, and what the commands of its pipe print. */
export function inputTexts({ redirections, feeders }: Step): string[] {
  const nearest = feeders.filter((one) => !feeders.some((other) => other.feeders.includes(one)));
  return [...redirections.flatMap(textIn), ...nearest.flatMap(printedTexts)];
}

function textIn({ operator, target, body }: Redirection): string[] {
  return body !== undefined ? [body] : operator === "<<<" ? [target] : [];
}

/** What a command prints: its words, or its input, perhaps decoded. */
export function printedTexts(step: Step): string[] {
  const { program, arguments: given } = step;
  if (program === "echo" || program === "printf")
    return [(printedText([program, ...given]) ?? given.join(" ")).replaceAll("\\n", "\n").replace(/\n$/u, "")];
  const decode = program === "cat" || program === "tee" ? (text: string) => text : decoderOf(program, given);
  const files = program === "cat" ? step.made : [];
  return decode === undefined ? [] : [...files, ...inputTexts(step)].map(decode);
}

function decoderOf(program: string, given: readonly string[]): ((text: string) => string) | undefined {
  const has = (option: RegExp) => given.some((word) => option.test(word));
  const from = (encoding: BufferEncoding) => (text: string) => Buffer.from(text.trim(), encoding).toString();
  if (program === "base64") return has(/^-\w*[dD]|^--decode$/u) ? from("base64") : undefined;
  if (program === "xxd") return has(/^-\w*r/u) && has(/p/u) ? from("hex") : undefined;
  return program === "rev" ? (text) => text.replace(/.+/gu, (line) => [...line].reverse().join("")) : undefined;
}
