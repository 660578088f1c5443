import { clean } from "../../kernel/text.ts";
import type { AllowableCall } from "../../operations/diagnose/allow.ts";
import { fieldsOfCall } from "../../operations/diagnose/summarize-input.ts";
import type { Style } from "../terminal/style.ts";

/** Nothing is cut, however long it is. */
const WHOLE = Number.MAX_SAFE_INTEGER;

/** What a person lets through, whole: every character can be seen, and nothing is cut. */
export function renderWholeCall({ call, reach }: AllowableCall, style: Style): string[] {
  const fields = fieldsOfCall(call).filter(({ name }) => call.tool !== "Bash" || name !== "description");
  return [
    `${clean(call.id, 64)} → ${style.bold(clean(call.tool ?? "", WHOLE))} in ${clean(call.named?.folder ?? "", WHOLE)}`,
    ...fields.flatMap(({ name, value }) => renderField(name, value)),
    `  denied by ${clean(call.by ?? "", 200)}: ${clean(call.reason ?? "", 400)}`,
    ...(reach === null ? [] : ["  The pattern also covers, in this folder:"]),
    ...(reach?.covers.map((command) => `    ${clean(command, 4_000)}`) ?? []),
    ...(reach === null || reach.leaves.length === 0 ? [] : ["  but not:"]),
    ...(reach?.leaves.map((command) => `    ${clean(command, 4_000)}`) ?? []),
  ];
}

function renderField(name: string, value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const title = name === "" ? [] : [`  ${clean(name, WHOLE)}:`];
  return [...title, ...visibleLines(text).map((line) => `    ${line}`)];
}

const LONGEST_RUN = 8;

/** The lines of a text in which blanks can be seen. Long runs of them are counted, so that they hide nothing. */
export function visibleLines(text: string): string[] {
  const lines = text.split("\n").map(showBlanks);
  return lines.flatMap((line, at) => {
    if (line !== "") return [line];
    if (at > 0 && lines[at - 1] === "") return [];
    const end = lines.findIndex((other, from) => from > at && other !== "");
    const count = (end < 0 ? lines.length : end) - at;
    return [count === 1 ? "" : `(${count} empty lines)`];
  });
}

/** A blank between two words stays; others are dots and arrows. */
function showBlanks(line: string): string {
  const marked = line.replaceAll(/[·→]|(?! )\p{Zs}/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
  return clean(
    marked
      .replaceAll(/^ +| +$| {2,}/gu, (run) => counted("·", run.length))
      .replaceAll(/\t+/gu, (run) => counted("→", run.length)),
    WHOLE,
  );
}

function counted(mark: string, count: number): string {
  return count > LONGEST_RUN ? `${mark}(×${count})` : mark.repeat(count);
}
