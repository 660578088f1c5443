import { CAPABILITY_OF, type HandlerFile } from "../../card/compiler/handler-module.ts";
import { HOOK_NAME } from "../../card/name.ts";
import type { Capability } from "../../contract/plan.ts";
import { offsetOfPath, positionAt } from "../../kernel/format/edit-json.ts";
import { formatJson } from "../../kernel/format/json.ts";
import { sortedBy } from "../../kernel/order.ts";
import type { CarriedScript } from "./carried-script.ts";
import type { ImportedHook } from "./imported.ts";

interface HandlerHook {
  name: string;
  file: HandlerFile;
  script?: CarriedScript;
  /** One line that says what it was. */
  summary: string;
  /** Capabilities besides the one that its kind needs. */
  further?: readonly Capability[];
}

/** A card's hook that consists of a handler.json. */
export function handlerHook({ name, file, script, summary, further = [] }: HandlerHook): ImportedHook {
  return {
    name,
    files: {
      "handler.json": escapeJson(formatJson(file)),
      ...(script === undefined ? {} : { [script.name]: script.text }),
    },
    readme: `# ${name}: ${summary}\n`,
    capabilities: sortedBy(new Set([CAPABILITY_OF[file.handler.type], ...further]), (one) => one),
  };
}

const LONGEST_NAME = 64;

/**
 * Makes `No force push` into `no-force-push`. A name that is taken or isn't valid gets a number. The result is then
 * taken, too.
 */
export function hookName(name: string, taken: Set<string>): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .slice(0, LONGEST_NAME - "-9999".length)
    .replace(/^-+|-+$/gu, "");
  for (let number = 1; ; number++) {
    const candidate = `${slug === "" ? "policy" : slug}${number === 1 ? "" : `-${number}`}`;
    if (taken.has(candidate) || !HOOK_NAME.test(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}

/** JSON is JavaScript. Characters that could reorder or hide text in a review are escaped. */
export function literal(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}

/** The same JSON, on the same lines, in plain ASCII. */
function escapeJson(text: string): string {
  return text.replace(/[^\n\x20-\x7e]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

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
