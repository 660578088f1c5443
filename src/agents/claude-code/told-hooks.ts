import fs from "node:fs";
import path from "node:path";
import { readBounded } from "../../format/read.ts";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { besideFinding, pathsIn } from "../../wiring/entries/hooks-beside.ts";
import type { AgentPlace } from "../../wiring/target.ts";

/** Where Claude Code finds Markdown that it follows, in its own folder, in the project's and in those of plugins. */
const FOLDERS = ["agents", "commands", "skills"];
const LARGEST = 1024 * 1024;

/**
 * Skills, commands and agents that bring hooks in their frontmatter. Once the model or a person uses one, its hooks are asked beside
 * drwn's: measured with Claude Code 2.1.329, for skills and commands of a project.
 */
export function checkToldHooks(place: AgentPlace, around: readonly string[]): Finding[] {
  const seen = new Set<string>();
  const files = around.flatMap((folder) => FOLDERS.flatMap((name) => markdownIn(path.join(folder, name), seen)));
  return files.filter(mayBringHooks).map((file) =>
    besideFinding(place, file, {
      asks: "Claude Code asks the hooks in the frontmatter",
      hint: "take out `hooks`, or make sure that none of them changes a call",
    }),
  );
}

/** However deep it lies, and links are followed, as Claude Code does; each folder once. */
function markdownIn(folder: string, seen: Set<string>): string[] {
  const real = fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? fs.realpathSync(folder) : null;
  if (real === null || seen.has(real)) return [];
  seen.add(real);
  return pathsIn(folder).flatMap((file) => (file.endsWith(".md") ? [file] : markdownIn(file, seen)));
}

/** A key `hooks` of YAML however it is written: in quotes, behind a question mark, with an escape in it, or as an alias of another word. */
const HOOKS_KEY = /hooks["'\s]*:|^\s*\?|\\[xuU\n]|(?:^|[{,])\s*\*\S+\s*:/imu;

function mayBringHooks(file: string): boolean {
  const text = headOf(file).normalize("NFKC");
  const [, frontmatter = ""] = /^\uFEFF?\s*---[^\n]*\n(.*?)(?:\n---|$)/su.exec(text) ?? [];
  return HOOKS_KEY.test(frontmatter);
}

/** What is too large, or cannot be read here, may bring them. */
function headOf(file: string): string {
  try {
    return readBounded(file, { maximumBytes: LARGEST })?.toString("utf8") ?? "";
  } catch (error) {
    if (isProblem(error)) return "---\nhooks:\n---\n";
    throw error;
  }
}
