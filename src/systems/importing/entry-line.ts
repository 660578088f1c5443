import { offsetOfPath, positionAt } from "../../format/edit.ts";

/** The line of a JSON document on which the value is that a path such as `hooks.Stop[0].hooks[1]` names. */
export function lineOfJsonEntry(text: string, entry: string): number {
  const parts = [...entry.matchAll(/[^.[\]]+/gu)].map(([part]) => (/^\d+$/u.test(part) ? Number(part) : part));
  return positionAt(text, offsetOfPath(text, parts)).line;
}

/** The line on which the table of a TOML document begins that `[[hooks]] 2` names. */
export function lineOfTomlEntry(text: string, entry: string): number {
  const [, name = "", number = "1"] = /^\[\[(\w+)\]\] (\d+)$/u.exec(entry) ?? [];
  const lines = text.split("\n").flatMap((line, at) => (line.trim().startsWith(`[[${name}]]`) ? [at + 1] : []));
  return lines[Number(number) - 1] ?? 1;
}
