import type { Capability } from "../../../contract/plan.ts";
import { RUBY_CONSTANTS } from "../read/constants.ts";
import type { DeclaredPolicy } from "../read/declared.ts";
import { compilePattern } from "../read/pattern.ts";

/** Text in which Ruby and JavaScript take every character literally. */
const PLAIN = /^(?:[A-Za-z0-9 _:,='"@<>~!%&;-]|\\[./-]|\|)+$/u;

/** The policy in TypeScript, in hooker's words. */
export function emitHookerPolicy(policy: DeclaredPolicy): string {
  const isConstant = policy.match !== null && "constant" in policy.match;
  const names = isConstant ? "matchConstants, policy" : "policy";
  const parts = [`on: ${object(onParts(policy))}`, ...whenPart(policy), actionPart(policy)];
  return [
    `import { ${names} } from "darwinian-minds/hook-policy/helpers";`,
    "",
    `export default policy(${JSON.stringify(policy.name)}, {`,
    ...parts.map((part) => `  ${part},`),
    "});",
    "",
  ].join("\n");
}

/** What the hook has to declare for this policy. */
export function hookerCapabilities({ action, when }: DeclaredPolicy): Capability[] {
  const files = action?.kind === "transform" ? action.context : action?.kind === "inject" ? action.files : [];
  const runs = when !== null || action?.kind === "transform" || (action?.kind === "inject" && action.command !== null);
  // Without its variables, a model on the network doesn't know who asks.
  const asks = when !== null || action?.kind === "transform";
  return [
    ...(asks ? ["env" as const] : []),
    ...(runs ? ["exec" as const] : []),
    ...(files.length > 0 ? ["fs-read" as const] : []),
  ];
}

function onParts({ event, tool, match, matchField }: DeclaredPolicy): string[] {
  if (event === "UserPromptSubmit") {
    const text = match !== null && "ruby" in match && match.ruby !== "" ? [`match: ${pattern(match.ruby)}`] : [];
    return [`event: ${JSON.stringify(event)}`, ...text];
  }
  const parts =
    tool === null ? [] : [`tool: ${pattern(tool.flags === "" ? tool.text : `(?${tool.flags}:${tool.text})`)}`];
  if (match === null) return parts;
  if ("constant" in match) parts.push(`match: ${constant(match.constant)}`);
  else if ("file" in match) return [...parts, `file: ${JSON.stringify(match.file)}`];
  else if (match.ruby !== "") parts.push(`match: ${pattern(match.ruby)}`);
  if (matchField !== null && match !== null) parts.push(`matchField: ${JSON.stringify(matchField)}`);
  return parts.length > 0 && parts.every((part) => part.startsWith("matchField")) ? [] : parts;
}

/**
 * Combines the constant, which reads words, with hooker's expression, which finds text such as `python -c` or sourced
 * code. A person reads it, so it has no Unicode letters at `\b`, where JavaScript finds more.
 */
function constant(name: string): string {
  const ruby = RUBY_CONSTANTS.get(name);
  if (ruby === undefined) throw new Error(`there is no match constant :${name}`);
  const source = ruby.replaceAll("\\s", "[ \\t-\\r]").replaceAll("\\S", "[^ \\t-\\r]").replaceAll(".*", "[^\\n]*");
  return `[matchConstants.${name}, ${new RegExp(source)}]`;
}

/** A literal that finds what Ruby's expression finds. */
function pattern(ruby: string): string {
  if (PLAIN.test(ruby)) return JSON.stringify(ruby.replaceAll("\\/", "/"));
  const compiled = compilePattern(ruby);
  if ("error" in compiled) throw new Error(compiled.error);
  return new RegExp(compiled.source, compiled.flags).toString();
}

function whenPart({ when }: DeclaredPolicy): string[] {
  if (when === null) return [];
  const condition = JSON.stringify(when.condition);
  if (when.model === null) return [`whenPrompt: ${condition}`];
  return [`whenPrompt: { condition: ${condition}, model: ${JSON.stringify(when.model)} }`];
}

function actionPart({ action }: DeclaredPolicy): string {
  if (action?.kind === "gate") return `gate: ${action.message === null ? "true" : JSON.stringify(action.message)}`;
  if (action?.kind === "inject") {
    return `inject: ${object([...field("files", action.files), ...field("command", action.command)])}`;
  }
  if (action === null) throw new Error("a policy without an action is not emitted");
  const { context, prompt, field: target, model } = action;
  return `transform: ${object([...field("context", context), ...field("prompt", prompt ?? ""), ...field("field", target), ...field("model", model)])}`;
}

function field(name: string, value: string | readonly string[] | null): string[] {
  return value === null || (Array.isArray(value) && value.length === 0) ? [] : [`${name}: ${JSON.stringify(value)}`];
}

function object(parts: readonly string[]): string {
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}
