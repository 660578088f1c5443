import type { HookEvent } from "../policy/define.ts";
import type { ToolPolicyEvent } from "../policy/event.ts";
import type { MatchConstant } from "./match-constants.ts";
import { matchedFieldOf, readingsOf } from "./match-field.ts";

/** Which calls a policy is for. An absent condition matches every call. */
export interface On {
  event?: "PreToolUse";
  /** A regular expression for the whole name of the tool: `"Edit|Write"`. */
  tool?: string | RegExp;
  /**
   * What the matched field must contain: a regular expression, also as text, a match constant, or a list of which one
   * must match.
   */
  match?: Match | readonly Match[];
  /** The field of the tool's input that is matched; absent: the tool's usual one. */
  matchField?: string;
  /** Instead of `match`: a file's exact name or the end of its path, or a regular expression for the whole path. */
  file?: string | RegExp;
}

type Match = string | RegExp | MatchConstant;

/** Which prompts a policy is for. Without `match` it is for every prompt. */
export interface PromptOn {
  event: "UserPromptSubmit";
  /** A regular expression for the prompt, also as text. */
  match?: string | RegExp;
}

export type PromptEvent = HookEvent<"prompt.submit">;

/** Checks and prepares the pattern. Throws if it cannot mean what its author wanted. */
export function preparePromptMatch(on: PromptOn): (prompt: string) => boolean {
  const stranger = Object.keys(on).find((key) => key !== "event" && key !== "match");
  if (stranger !== undefined)
    throw new Error(`\`${stranger}\` is for tool calls; of a prompt only the text is matched`);
  return contentPattern(on) ?? (() => true);
}

/** Decides whether the policy is for an event. */
export interface Condition {
  /** The field that is matched. */
  field: (event: ToolPolicyEvent) => string;
  applies: (event: ToolPolicyEvent) => boolean;
}

/** Checks and prepares the patterns. Throws if one cannot mean what its author wanted. */
export function prepareOn(on: On): Condition {
  if (on.event !== undefined && on.event !== "PreToolUse") {
    throw new Error(`\`${String(on.event)}\` is neither PreToolUse nor UserPromptSubmit`);
  }
  if ("file" in on && ("match" in on || "matchField" in on)) {
    throw new Error("`file` stands in place of `match` and `matchField`; use `match` with `matchField` instead");
  }
  const tool = toolPattern(on);
  const isMatch = contentPattern(on);
  const field = ({ toolName }: ToolPolicyEvent) =>
    (on.file === undefined ? on.matchField : "file_path") ?? matchedFieldOf(toolName);
  return {
    field,
    applies: (event) =>
      tool?.test(event.toolName) !== false && (isMatch === undefined || readingsOf(event, field(event)).some(isMatch)),
  };
}

/** The anchored regular expression for the tool's name; undefined: every tool. */
function toolPattern(on: On): RegExp | undefined {
  const tool = requirePattern(on, "tool");
  if (tool === undefined) return undefined;
  const { source, flags } = typeof tool === "string" ? { source: tool, flags: "" } : tool;
  return compile("tool", `^(?:${source})$`, flags);
}

function contentPattern(on: Pick<On, "file" | "match">): ((text: string) => boolean) | undefined {
  const file = requirePattern(on, "file");
  if (file !== undefined)
    return test(typeof file === "string" ? fileEnding(file) : compile("file", file.source, file.flags));
  const match = requirePattern(on, "match");
  if (match === undefined) return undefined;
  const tests = [match].flat().map((one) => textTest(one));
  return (text) => tests.some((isMatch) => isMatch(text));
}

function textTest(match: Match): (text: string) => boolean {
  if (typeof match === "string") return test(compile("match", match, ""));
  return match instanceof RegExp ? test(compile("match", match.source, match.flags)) : (text) => match.matches(text);
}

/** Refuses a key without a value: it is a slip, such as a misspelt constant, and the policy would match everything. */
function requirePattern<Key extends "file" | "match" | "tool">(on: Pick<On, Key>, key: Key): On[Key] {
  const pattern = on[key];
  if (!(key in on)) return pattern;
  const all: readonly unknown[] = Array.isArray(pattern) ? pattern : [pattern];
  if (all.length === 0 || all.some((one) => one === undefined || one === "")) throw new Error(`\`${key}\` is empty`);
  const foreign = all.find((one): one is string => typeof one === "string" && /^:[a-z_]+$/u.test(one));
  if (foreign === undefined) return pattern;
  throw new Error(
    `\`${key}: "${foreign}"\` is hooker's way to write it; use matchConstants${foreign.replace(":", ".")}`,
  );
}

function compile(key: string, source: string, flags: string): RegExp {
  try {
    // With `g` or `y` a pattern remembers where it stopped, and would miss every second call.
    return new RegExp(source, flags.replace(/[gy]/gu, ""));
  } catch (error) {
    throw new Error(`\`${key}\` isn't a regular expression: ${error instanceof Error ? error.message : ""}`);
  }
}

function test(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

/** Matches the whole name, with or without folders before it. */
function fileEnding(file: string): RegExp {
  return new RegExp(`(?:^|[\\\\/])${file.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")}$`, "u");
}
