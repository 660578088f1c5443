import fs from "node:fs";
import path from "node:path";
import { readFormatIfThere } from "../format/read.ts";
import { lineText } from "../format/schema.ts";
import { formatJson } from "../format/write.ts";
import * as z from "../format/zod.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import { Problem } from "../kernel/problem.ts";
import type { Annotation } from "./registry.ts";

const MOST_CHARACTERS = 500;

const deprecation = z.strictObject({ annotationVersion: z.literal(1), deprecated: lineText(MOST_CHARACTERS).min(1) });
const yank = z.strictObject({ annotationVersion: z.literal(1), yanked: z.literal(true) });

/** Others read a shared folder. */
const SHARED = 0o644;

/** Refuses a text that doesn't fit into one line. */
function parseDeprecation(text: string): string {
  const parsed = deprecation.shape.deprecated.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new Problem("DRWN_NOTE_INVALID", "the text of a deprecation is one line that says what to use instead", {
    details: [`expected: 1 to ${MOST_CHARACTERS} characters without line ends`, `received: ${text.length} characters`],
  });
}

/**
 * What was said about a version after it was published. Each kind of note is a separate file in the version's folder:
 * two people who say different things at once don't undo each other.
 */
export function readAnnotation(folder: string): Required<Annotation> {
  return {
    deprecated: readFormatIfThere(deprecationFile(folder), deprecation)?.deprecated ?? null,
    yanked: readFormatIfThere(yankFile(folder), yank) !== undefined,
  };
}

export function writeAnnotation(folder: string, { deprecated, yanked }: Annotation): void {
  if (deprecated === null) withdraw(deprecationFile(folder));
  else if (deprecated !== undefined) note(deprecationFile(folder), { deprecated: parseDeprecation(deprecated) });
  if (yanked === true) note(yankFile(folder), { yanked });
  else if (yanked === false) withdraw(yankFile(folder));
}

function note(file: string, said: object): void {
  writeAtomic(file, formatJson({ annotationVersion: 1, ...said }), SHARED);
}

function withdraw(file: string): void {
  fs.rmSync(file, { force: true });
}

function deprecationFile(folder: string): string {
  return path.join(folder, "deprecated.json");
}

function yankFile(folder: string): string {
  return path.join(folder, "yanked.json");
}
