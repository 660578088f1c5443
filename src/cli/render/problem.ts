import { sayIn } from "../../kernel/advice.ts";
import type { Finding, Problem } from "../../kernel/problem.ts";
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

/** Nobody has to do anything about it. */
export function isLimit({ severity }: Finding): boolean {
  return severity === "info";
}

/** A finding in a line, and its hint in another. As talk on stderr it begins like any other warning, with a colon. */
export function renderFinding(
  { severity, code, subject, message, details = [], hint }: Finding,
  { style, scope }: Pick<Console, "scope" | "style">,
  { isCoded = false, isTalk = false } = {},
): string[] {
  const said = `${clean(subject, 1_000)}: ${clean(message, 2_000)}`;
  if (severity === "info") return [said];
  const mark = severity === "error" ? style.bad(severity) : style.warn(severity);
  return [
    `${mark}${isTalk ? ":" : ""} ${said}${isCoded ? ` ${style.dim(`[${code}]`)}` : ""}`,
    ...details.map((detail) => `  ${clean(detail, 2_000)}`),
    ...(hint === null ? [] : [`  hint: ${clean(sayIn(scope, hint), 1_000)}`]),
  ];
}
