import type { DescribeCoverage } from "../../importing/imported.ts";
import { rubyOf } from "../read/compile.ts";
import { RUBY_CONSTANTS } from "../read/constants.ts";
import type { DeclaredPolicy } from "../read/declared.ts";
import { compilePattern } from "../read/pattern.ts";

/** Why a policy has no counterpart in a card; undefined: it has one. */
export function whyNotFromHooker({ event, tool, match, action }: DeclaredPolicy): string | undefined {
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
export function hookerDifferences(
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
