import { canonicalOf } from "../../hot/adapter/tool-call.ts";
import { shellQuote } from "../../kernel/text.ts";
import { calledInput } from "../transcript/shape.ts";
import { CODEX_TOOLS } from "./adapter/tools.ts";

/**
 * The model's call as Codex describes it to hooks: its shell is `Bash`, and `command` holds the command or patch.
 * Undefined: the arguments cannot be read, so there was no call.
 */
export function toHookInput(
  name: string,
  sent: string | { input: string } | undefined,
): { tool: string; input: Record<string, unknown> } | undefined {
  const tool = canonicalOf(name, CODEX_TOOLS);
  if (typeof sent === "object") return { tool, input: { command: sent.input } };
  const input = calledInput.safeParse(parseArguments(sent)).data;
  if (input === undefined) return undefined;
  const command = tool === "Bash" ? commandOf(input) : undefined;
  return { tool, input: command === undefined ? input : { command } };
}

function parseArguments(text: string | undefined): unknown {
  if (text === "") return {};
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function commandOf({ cmd, command }: Record<string, unknown>): string | undefined {
  const given = cmd ?? command;
  if (!Array.isArray(given)) return typeof given === "string" ? given : undefined;
  const words = given.filter((word): word is string => typeof word === "string");
  const [, flag, script] = words;
  return words.length === 3 && script !== undefined && /^-l?c$/u.test(flag ?? "")
    ? script
    : words.map(shellQuote).join(" ");
}
