import { clean, plural } from "../../kernel/text.ts";
import type { PackedReport } from "../../operations/publish.ts";
import type { Console } from "../console.ts";
import { describeHook } from "./hook.ts";

/** The files and hooks of a packed card; they are talk, the line about the result is the answer. */
export function renderPacked({ files, hooks, size, tree, publisher }: PackedReport, { talk, style }: Console): void {
  for (const file of files) talk(style.dim(`  ${clean(file)}`));
  for (const hook of hooks) talk(`  ${describeHook(hook)}`);
  talk(`  ${plural(files.length, "file")}, ${size} bytes, ${clean(tree)}`);
  talk(publisher === null ? "  not signed" : `  signed by ${clean(publisher)}`);
}
