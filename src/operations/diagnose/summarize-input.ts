import { MATCHED_FIELDS } from "../../policy/matched-fields.ts";
import type { LoggedCall } from "./log.ts";

/** Fields that say what is asked, the most telling first, for tools that drwn doesn't know. */
const TELLING = ["command", "file_path", "notebook_path", "path", "url", "pattern", "query", "prompt", "input"];

/** What the agent wanted to do: a command, a file, else the input as it is. Null: the journal has no input of this call. */
export function summarizeInput({ tool, input }: Pick<LoggedCall, "input" | "tool">): string | null {
  if (input === undefined) return null;
  const fields = [MATCHED_FIELDS.get(tool), ...TELLING].filter((field) => field !== undefined);
  const text = fields.map((field) => readField(input, field)).find((found) => found !== null) ?? input;
  return filesOfPatch(text) ?? text.trim().replaceAll(/\r?\n/gu, "\\n");
}

/** The shell text of a call that the journal has whole; null: it has none. */
export function commandOfCall({ input = "" }: Pick<LoggedCall, "input">): string | null {
  const command = fieldsOfCall({ input }).find(({ name }) => name === "command")?.value;
  return typeof command === "string" ? command : null;
}

/**
 * Everything that a tool is called with, but the words beside a shell command, which don't count. One field without a
 * name if the text isn't JSON, for example since a secret was replaced.
 */
export function fieldsOfCall({ input = "" }: Pick<LoggedCall, "input">): { name: string; value: unknown }[] {
  try {
    const parsed: unknown = JSON.parse(input);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
      return Object.entries(parsed).map(([name, value]) => ({ name, value }));
  } catch {
    // Shown as it is.
  }
  return [{ name: "", value: input }];
}

/** The journal keeps only the beginning of a long input, and that isn't JSON any more. */
function readField(input: string, field: string): string | null {
  try {
    const parsed: unknown = JSON.parse(input);
    const value = typeof parsed === "object" && parsed !== null ? Reflect.get(parsed, field) : undefined;
    if (Array.isArray(value)) return value.map(String).join(" ");
    return typeof value === "string" && value !== "" ? value : null;
  } catch {
    const [, text] = new RegExp(`[{,]"${field}":"((?:[^"\\\\]|\\\\.)+)`, "u").exec(input) ?? [];
    return text === undefined ? null : (readText(text) ?? text);
  }
}

function readText(inside: string): string | null {
  try {
    return String(JSON.parse(`"${inside}"`));
  } catch {
    return null;
  }
}

function filesOfPatch(text: string): string | null {
  if (!text.includes("*** Begin Patch")) return null;
  const files = [...text.matchAll(/^\*\*\* (?:Add File|Update File|Delete File|Move to): ?(.+)$/gmu)];
  return files.length === 0 ? null : files.map(([, file = ""]) => file.trim()).join(", ");
}
