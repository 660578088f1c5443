import fs from "node:fs";
import path from "node:path";
import { readBounded } from "../../format/read.ts";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { besideFinding, pathsIn } from "../../wiring/entries/hooks-beside.ts";
import type { AgentPlace } from "../../wiring/target.ts";

/** Where Claude Code finds Markdown that it follows: in its own folder, the project's, and those of plugins. */
const FOLDERS = ["agents", "commands", "skills"];
const LARGEST = 1024 * 1024;

/**
 * Finds skills, commands and agents with hooks in their frontmatter. Once the model or a person uses one, Claude Code
 * asks its hooks as well as drwn's. Measured with Claude Code 2.1.329, for a project's skills and commands.
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

/** The Markdown files at any depth. It follows links, as Claude Code does, and reads each folder once. */
function markdownIn(folder: string, seen: Set<string>): string[] {
  const real = fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? fs.realpathSync(folder) : null;
  if (real === null || seen.has(real)) return [];
  seen.add(real);
  return pathsIn(folder).flatMap((file) => (file.endsWith(".md") ? [file] : markdownIn(file, seen)));
}

/** A YAML key `hooks`, however it is written: in quotes, after a question mark, with an escape, or as an alias. */
const HOOKS_KEY = /hooks["'\s]*:|^\s*\?|\\[xuU\n]|(?:^|[{,])\s*\*\S+\s*:/imu;

function mayBringHooks(file: string): boolean {
  const text = headOf(file).normalize("NFKC");
  const [, frontmatter = ""] = /^\uFEFF?\s*---[^\n]*\n(.*?)(?:\n---|$)/su.exec(text) ?? [];
  return HOOKS_KEY.test(frontmatter);
}

/** A file that is too large, or that cannot be read here, may have hooks. */
function headOf(file: string): string {
  try {
    return readBounded(file, { maximumBytes: LARGEST })?.toString("utf8") ?? "";
  } catch (error) {
    if (isProblem(error)) return "---\nhooks:\n---\n";
    throw error;
  }
}
