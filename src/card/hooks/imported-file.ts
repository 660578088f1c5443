import { parseFormat } from "../../format/read.ts";
import { lazily, lineText } from "../../format/schema.ts";
import { formatJson } from "../../format/write.ts";
import * as z from "../../format/zod.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import type { CardFiles } from "../files.ts";

/** In the folder of a hook that came from another system: what it does differently from there. */
export const IMPORTED_FILE = "imported.json";

const LONGEST = 1_000;
/** All hooks of one event can become one hook of a card, with the differences of each. */
const MOST = 500;

const importedSchema = lazily(() =>
  z.strictObject({ from: lineText(40).min(1), differs: z.array(lineText(LONGEST).min(1)).max(MOST) }),
);

/** Where a hook came from, and what it does differently from there, in its author's words. */
export type ImportedFile = z.output<ReturnType<typeof importedSchema>>;

export function printImported({ from, differs }: ImportedFile): string {
  const all = [...new Set(differs.map((what) => clean(what, LONGEST)))];
  const said = all.length > MOST ? all.slice(0, MOST - 1) : all;
  const left = all.length - said.length;
  return formatJson({ from, differs: left === 0 ? said : [...said, `${left} more, which the import reported`] });
}

/** Undefined: the hook wasn't imported. If the file can't be read, the result says so. */
export function readImported(hook: string, files: CardFiles): ImportedFile | undefined {
  const file = `hooks/${hook}/${IMPORTED_FILE}`;
  const bytes = files.get(file);
  if (bytes === undefined) return undefined;
  try {
    return parseFormat(bytes, importedSchema(), { file });
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { from: "another system", differs: [`what it does otherwise is not known: ${error.message}`] };
  }
}
