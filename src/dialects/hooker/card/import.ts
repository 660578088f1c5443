import type { Capability } from "../../../contract/plan.ts";
import { hookName } from "../../importing/handler-hook.ts";
import type { DescribeCoverage, Difference, Imported, ImportedHook } from "../../importing/imported.ts";
import { type DeclaredPolicy, RUBY_CONSTANTS } from "../read/declared.ts";
import { compilePattern } from "../read/pattern.ts";
import { readPoliciesRb, rubyOf } from "../read/read.ts";

/**
 * Turns a policies.rb into hooks in hooker's own words, and lists how they differ. Gates come first, since hooker
 * judges them first. Throws a `HookerRefusal` for a file that hooker's reader refuses.
 */
export function importHooker(bytes: Uint8Array, describeReach: DescribeCoverage): Imported {
  const declared = readPoliciesRb(bytes);
  const names = new Set<string>();
  const hooks: ImportedHook[] = [];
  const differences: Difference[] = [];
  for (const policy of [...declared.filter(isGate), ...declared.filter((one) => !isGate(one))]) {
    const reason = whyNotFromHooker(policy);
    const place = { policy: policy.name, line: policy.line };
    if (reason !== undefined) {
      differences.push({ ...place, hook: null, what: `it is not imported: ${reason}` });
      continue;
    }
    const name = hookName(policy.name, names);
    hooks.push({
      name,
      policy: emitHookerPolicy(policy),
      readme: `# ${name}: ${policy.name.replace(/\s+/gu, " ")}\n\nImported from line ${policy.line} of a policies.rb.\n`,
      capabilities: hookerCapabilities(policy),
    });
    differences.push(
      ...hookerDifferences(policy, { declared, describeReach }).map((what) => ({ ...place, hook: name, what })),
    );
  }
  return { hooks, differences: differences.sort((one, other) => one.line - other.line) };
}

function isGate({ action }: DeclaredPolicy): boolean {
  return action?.kind === "gate";
}

/** Text in which Ruby and JavaScript take every character literally. */
const PLAIN = /^(?:[A-Za-z0-9 _:,='"@<>~!%&;-]|\\[./-]|\|)+$/u;

/** The policy in TypeScript, in hooker's words. */
function emitHookerPolicy(policy: DeclaredPolicy): string {
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
function hookerCapabilities({ action, when }: DeclaredPolicy): Capability[] {
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

/** Why a card cannot have a policy like this; undefined: it can. */
function whyNotFromHooker({ event, tool, match, action }: DeclaredPolicy): string | undefined {
  if (event !== null && event !== "PreToolUse" && event !== PROMPT) return `there is no event ${event}`;
  if (action === null) return "it has neither gate nor transform nor inject";
  if (event === PROMPT) {
    if (tool !== null) return "a prompt has no tool, so it never applies";
    if (action.kind === "transform") return "no agent takes another prompt in place of the user's";
    if (match !== null && "constant" in match) return `:${match.constant} reads shell commands, and a prompt isn't one`;
    if (match !== null && "file" in match) return "`file` is of tool calls, and a prompt names no file";
  }
  if (action.kind === "transform" && action.command !== null) return "a transform by a command has no counterpart";
  if (action.kind === "inject" && action.files.length === 0 && action.command === null) return "it injects nothing";
  if (match !== null && "constant" in match && !RUBY_CONSTANTS.has(match.constant)) {
    return `there is no match constant :${match.constant}, so it never matches`;
  }
  const patterns = [tool?.ruby ?? null, rubyOf(match)].flatMap((ruby) => (ruby === null ? [] : [compilePattern(ruby)]));
  const broken = patterns.find((pattern) => "error" in pattern);
  if (broken !== undefined && "error" in broken) return `a regular expression cannot be translated: ${broken.error}`;
  if (tool !== null && tool.text === "") return "it wants a tool without a name";
  return undefined;
}

const PROMPT = "UserPromptSubmit";

/** Sentences that say where the imported policy is asked and how it differs. */
function hookerDifferences(
  policy: DeclaredPolicy,
  { declared, describeReach }: { declared: readonly DeclaredPolicy[]; describeReach: DescribeCoverage },
): string[] {
  const reach = describeReach(policy.event === PROMPT ? "prompt.submit" : "tool.before");
  return [
    reach,
    ...ofMatching(policy),
    ...ofModels(policy, declared),
    ...ofContext(policy),
    ...ofOrder(policy, declared),
  ];
}

function isOfPrompts({ event }: DeclaredPolicy): boolean {
  return event === PROMPT;
}

/** A policy that starts a program does so while the gates are asked. */
function ofOrder(policy: DeclaredPolicy, declared: readonly DeclaredPolicy[]): string[] {
  const { action } = policy;
  const starts = action?.kind === "transform" || (action?.kind === "inject" && action.command !== null);
  const hasGate = declared.some((other) => other.action?.kind === "gate" && isOfPrompts(other) === isOfPrompts(policy));
  return starts && hasGate
    ? ["its program may run although a gate denies what it is about; hooker asks the gates first"]
    : [];
}

function ofMatching({ event, match }: DeclaredPolicy): string[] {
  const said: string[] = [];
  if (event === null)
    said.push("hooker asks it on every event; the card on tool calls before they run, and not on prompts");
  if (event === PROMPT) {
    said.push("what denies a call rejects the prompt here, and where an agent has no such event nothing asks it");
  }
  if (match === null) return said;
  if (event !== PROMPT && !("constant" in match)) {
    said.push(
      "it finds more: a field under each name that agents have for it, and a file as it is written and as the path that this comes to",
    );
  }
  if ("constant" in match) {
    said.push(
      `matchConstants.${match.constant} reads words besides the text: it finds more (quotes, sudo, bash -c, -C with a plain name)`,
    );
  }
  if ("constant" in match || ("ruby" in match && repeatsTwice(match.ruby))) {
    said.push("a text that its regular expression cannot search in time denies the call; hooker leaves the policy out");
  }
  if ("lostFlags" in match && match.lostFlags !== "") {
    said.push(
      `hooker leaves out the flags \`${match.lostFlags}\` of its regular expression, and so does the card; put them in if they were meant`,
    );
  }
  return said;
}

/** Only such expressions backtrack: one repetition inside another, or after another. */
function repeatsTwice(ruby: string): boolean {
  const plain = ruby.replace(/\\[\s\S]/gu, "").replace(/\[[^\]]*\]/gu, "");
  return (plain.match(/[*+]|\{\d*,\}/gu) ?? []).length > 1;
}

function ofModels({ when, action }: DeclaredPolicy, declared: readonly DeclaredPolicy[]): string[] {
  const said: string[] = [];
  const transforms = declared.filter((other) => other.action?.kind === "transform" && !isOfPrompts(other)).length;
  if (when !== null) {
    said.push(
      "a classifier that fails denies the call, and so does an answer that is neither yes nor no; hooker lets it through",
    );
  }
  if (action?.kind === "gate" && action.message?.trim() === "")
    said.push("its empty reason becomes one that names the policy");
  if (action?.kind !== "transform") return said;
  said.push("a model that fails denies the call, and so does an empty answer; hooker lets it through");
  if (transforms > 1) said.push(`each transform asks the model for itself; hooker asks once for all ${transforms}`);
  return said;
}

function ofContext({ action }: DeclaredPolicy): string[] {
  const said: string[] = [];
  const files = action?.kind === "transform" ? action.context : action?.kind === "inject" ? action.files : [];
  if (files.length > 0) {
    said.push(
      `a missing context file denies the call, hooker lets it through with a warning; paths (${files.join(", ")}) are meant from where the session was started`,
    );
  }
  if (action?.kind === "inject") said.push("the model is not told by `<hooker:matched>` which policies matched");
  if (action?.kind === "inject" && action.command !== null) {
    said.push(
      "a command that fails denies the call, hooker lets it through; it reads the matched text, not the whole event, and runs where the session was started",
    );
  }
  return said;
}
