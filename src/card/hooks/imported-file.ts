import { formatJson } from "../../kernel/format/json.ts";
import { parseFormat } from "../../kernel/format/read.ts";
import { lazily, lineText } from "../../kernel/format/schema.ts";
import * as z from "../../kernel/format/zod.ts";
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
type ImportedFile = z.output<ReturnType<typeof importedSchema>>;

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

/** At the top of a card: the hooks that an import left out, which have no folder for a file. */
export const LEFT_OUT_FILE = "left-out.json";

const LONGEST_LEFT_OUT = { from: 40, name: 300, why: 1_000 } as const;

const leftOutSchema = lazily(() =>
  z.strictObject({
    imports: z
      .array(
        z.strictObject({
          from: lineText(LONGEST_LEFT_OUT.from).min(1),
          file: lineText(LONGEST_LEFT_OUT.name).min(1),
          hooks: z
            .array(
              z.strictObject({
                hook: lineText(LONGEST_LEFT_OUT.name).min(1),
                why: lineText(LONGEST_LEFT_OUT.why).min(1),
              }),
            )
            .min(1)
            .max(MOST),
        }),
      )
      .max(MOST),
  }),
);

/** What a card lacks from one import: hooks, by their names in their own system. */
export type LeftOut = z.output<ReturnType<typeof leftOutSchema>>["imports"][number];

/** What a card lacks, by import. If the file can't be read, the result says so. */
export function readLeftOut(files: CardFiles): LeftOut[] {
  const bytes = files.get(LEFT_OUT_FILE);
  if (bytes === undefined) return [];
  try {
    return parseFormat(bytes, leftOutSchema(), { file: LEFT_OUT_FILE }).imports;
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [
      { from: "another system", file: LEFT_OUT_FILE, hooks: [{ hook: "which is not known", why: error.message }] },
    ];
  }
}

/** The file, with these hooks in place of those that an earlier import of it left out; undefined: nothing to write. */
export function printLeftOut(bytes: Uint8Array | undefined, { from, file, hooks }: LeftOut): string | undefined {
  const before = bytes === undefined ? [] : parseFormat(bytes, leftOutSchema(), { file: LEFT_OUT_FILE }).imports;
  const name = clean(file, LONGEST_LEFT_OUT.name);
  const others = before.filter((one) => one.from !== from || one.file !== name);
  if (hooks.length === 0 && others.length === before.length) return undefined;
  const cleaned = hooks.map(({ hook, why }) => ({
    hook: clean(hook, LONGEST_LEFT_OUT.name),
    why: clean(why, LONGEST_LEFT_OUT.why),
  }));
  const said = cleaned.length > MOST ? [...cleaned.slice(0, MOST - 1), moreThan(cleaned.length - MOST + 1)] : cleaned;
  return formatJson({ imports: said.length === 0 ? others : [...others, { from, file: name, hooks: said }] });
}

function moreThan(count: number): LeftOut["hooks"][number] {
  return { hook: `${count} more`, why: "the import reported them" };
}
