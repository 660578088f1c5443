import { parseFormat } from "../../format/read.ts";
import { lazily, lineText } from "../../format/schema.ts";
import { formatJson } from "../../format/write.ts";
import * as z from "../../format/zod.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import type { CardFiles } from "../files.ts";

/** At the top of a card: the hooks that an import left out, which have no folder for a file. */
export const LEFT_OUT_FILE = "left-out.json";

const LONGEST = { from: 40, name: 300, why: 1_000 } as const;
const MOST = 500;

const leftOutSchema = lazily(() =>
  z.strictObject({
    imports: z
      .array(
        z.strictObject({
          from: lineText(LONGEST.from).min(1),
          file: lineText(LONGEST.name).min(1),
          hooks: z
            .array(z.strictObject({ hook: lineText(LONGEST.name).min(1), why: lineText(LONGEST.why).min(1) }))
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
  const name = clean(file, LONGEST.name);
  const others = before.filter((one) => one.from !== from || one.file !== name);
  if (hooks.length === 0 && others.length === before.length) return undefined;
  const cleaned = hooks.map(({ hook, why }) => ({ hook: clean(hook, LONGEST.name), why: clean(why, LONGEST.why) }));
  const said = cleaned.length > MOST ? [...cleaned.slice(0, MOST - 1), moreThan(cleaned.length - MOST + 1)] : cleaned;
  return formatJson({ imports: said.length === 0 ? others : [...others, { from, file: name, hooks: said }] });
}

function moreThan(count: number): LeftOut["hooks"][number] {
  return { hook: `${count} more`, why: "the import reported them" };
}
