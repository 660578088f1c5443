import { offsetOfPath, positionAt } from "../../format/edit.ts";

/** The line of the value in a JSON document that a path such as `hooks.Stop[0].hooks[1]` names. */
export function lineOfJsonEntry(text: string, entry: string): number {
  const parts = [...entry.matchAll(/[^.[\]]+/gu)].map(([part]) => (/^\d+$/u.test(part) ? Number(part) : part));
  return positionAt(text, offsetOfPath(text, parts)).line;
}

/** The line at which the table begins that `[[hooks]] 2` names in a TOML document. */
export function lineOfTomlEntry(text: string, entry: string): number {
  const [, name = "", number = "1"] = /^\[\[(\w+)\]\] (\d+)$/u.exec(entry) ?? [];
  const lines = text.split("\n").flatMap((line, at) => (line.trim().startsWith(`[[${name}]]`) ? [at + 1] : []));
  return lines[Number(number) - 1] ?? 1;
}
