import { SourceMap, type SourceMapPayload } from "node:module";
import { stripNamespace } from "../compiler/refusal.ts";
import { COMPILED_NAME } from "./evaluation-script.ts";

const FRAME = new RegExp(`\\b${COMPILED_NAME.replace(".", "\\.")}:(\\d+)(?::(\\d+))?`, "u");

/** Where in the card's own files a stack trace begins: `hooks/guard/policy.ts:12:3`. Undefined if it doesn't say. */
export function locateFrame(stack: string, map: string): string | undefined {
  const [, line, column = "1"] = FRAME.exec(stack) ?? [];
  if (line === undefined) return undefined;
  // The compiler itself has just made the map.
  const payload = JSON.parse(map) as SourceMapPayload;
  const entry = new SourceMap(payload).findEntry(Number(line) - 1, Number(column) - 1);
  if (!("originalSource" in entry)) return undefined;
  return `${stripNamespace(entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
