import { sayIn } from "../../kernel/advice.ts";
import type { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import type { Console } from "../terminal/console.ts";

/** `error: message [CODE]`, the details, and the hint after an empty line. */
export function renderProblem(problem: Problem, { style, scope }: Pick<Console, "style" | "scope">): string[] {
  const lines = [`${style.bad("error:")} ${clean(problem.message, 2000)} ${style.dim(`[${problem.code}]`)}`];
  for (const detail of problem.details) lines.push(`  ${clean(detail, 2000)}`);
  if (problem.hint !== undefined) lines.push("", `${style.good("hint:")} ${clean(sayIn(scope, problem.hint), 2000)}`);
  return lines;
}

/** The same as one JSON value. */
export function problemToJson({ code, message, details, hint }: Problem): object {
  return { error: { code, message, details: [...details], hint: hint ?? null } };
}
