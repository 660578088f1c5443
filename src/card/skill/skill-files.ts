import { digestOf } from "../../kernel/digest.ts";
import { foldPath } from "../paths.ts";
import type { CodeLine } from "./code-line.ts";

/** Folders of a skill whose files only a model reads or runs, through tool calls, and no agent by itself. */
const PLAIN_FOLDERS: ReadonlySet<string> = new Set([
  ...["scripts", "references", "reference", "assets", "resources", "templates", "examples", "docs", "data", "tests"],
]);
/** Files beside SKILL.md: documents and scripts, but no format of settings. */
const PLAIN_FILE =
  /^(?:(?:licen[cs]e|notice|copying)|[^/]+\.(?:md|txt|rst|py|sh|bash|js|mjs|cjs|ts|rb|pl|css|html|csv|png|jpe?g|gif|svg|pdf))$/u;
/** Instructions that agents read in any folder that they come across. */
const INSTRUCTIONS =
  /^(?:claude|agents|gemini|copilot-instructions|.*\.instructions|.*\.prompt|.*\.agent)(?:\..*)?\.md$/u;

/** Agents and other programs read rules, settings and hooks from such files in any folder that they come across. */
const HIDDEN = /^\./u;

/** Whether no agent is known or likely to act on a file because of its place in a skill. */
export function isPlainFile(path: string): boolean {
  const parts = foldPath(path).split("/");
  if (parts.some((part) => HIDDEN.test(part))) return false;
  if (parts.some((part) => INSTRUCTIONS.test(part))) return false;
  const [first = "", ...below] = parts;
  return below.length === 0 ? PLAIN_FILE.test(first) : PLAIN_FOLDERS.has(first);
}

const MOST_LINES = 200;

/** The lines of a file that an agent may act on; for a long or unreadable one, its size and digest. */
export function describeFileOf(file: string, bytes: Buffer): CodeLine[] {
  const lines = bytes.toString("utf8").split("\n");
  const isShort = lines.length <= MOST_LINES && Buffer.from(lines.join("\n")).equals(bytes);
  const shown = isShort ? lines : [`${bytes.length} bytes, ${digestOf(bytes)}`];
  return shown.flatMap((text, at): CodeLine[] =>
    text.trim() === "" && at > 0 ? [] : [{ file, line: at + 1, why: "file", text }],
  );
}
