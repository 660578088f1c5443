import { clean } from "../kernel/text.ts";
import { offsetOfPath, positionAt } from "./edit.ts";
import type { JsonPath } from "./json.ts";
import type * as z from "./zod.ts";

const MAXIMUM_ISSUES = 20;

/** What an issue expected, as the end of "should be …". If a schema has better words, those are used. */
export function nameIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected === "int" ? "a whole number" : withArticle(issue.expected);
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ");
    case "unrecognized_keys":
      return "absent: the field is unknown";
    case "too_small":
      return `at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_format":
      return issue.format === "regex" ? `text like ${issue.pattern}` : `text in the form of ${issue.format}`;
    default:
      return "something else";
  }
}

/** One line for each issue: `line 4: \`version\` should be …, got …`. */
export function describeIssues(error: z.ZodError, text: string): string[] {
  const document: unknown = JSON.parse(text);
  const lines = error.issues.flatMap(flatten).map(({ path, expected }) => {
    const received = describeValue(valueAt(document, path));
    return `line ${positionAt(text, offsetOfPath(text, path)).line}: ${nameField(path)} should be ${expected}, got ${received}`;
  });
  return lines.length > MAXIMUM_ISSUES ? [...lines.slice(0, MAXIMUM_ISSUES), `… ${lines.length} in all`] : lines;
}

interface FlatIssue {
  path: JsonPath;
  expected: string;
}

function flatten(issue: z.core.$ZodIssue): FlatIssue[] {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => at([...path, key], issue.message));
  if (issue.code === "invalid_key") {
    return issue.issues.map(({ message }) => at(path, `named ${message}`));
  }
  const closest = issue.code === "invalid_union" ? closestAlternative(issue.errors) : [];
  if (closest.length > 0) {
    return closest.flatMap(flatten).map((inner) => at([...path, ...inner.path], inner.expected));
  }
  return [at(path, issue.message)];
}

/** The issues of the union's alternative that has the fewest, since most likely that one was meant. */
function closestAlternative(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const sorted = [...alternatives].sort((left, right) => left.length - right.length);
  return sorted[0] ?? [];
}

function at(path: JsonPath, expected: string): FlatIssue {
  return { path, expected };
}

function nameField(path: JsonPath): string {
  if (path.length === 0) return "the file";
  const dotted = path.map((part) => {
    if (typeof part === "number") return `[${part}]`;
    return /^[\w$-]+$/u.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  });
  return `\`${clean(dotted.join("").replace(/^\./u, ""), 200)}\``;
}

function valueAt(document: unknown, path: JsonPath): unknown {
  let value = document;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

function describeValue(value: unknown): string {
  return value === undefined ? "nothing" : clean(JSON.stringify(value), 80);
}

function withArticle(noun: string): string {
  return `${/^[aeio]/u.test(noun) ? "an" : "a"} ${noun}`;
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " items" : "";
}
