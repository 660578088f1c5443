import * as z from "./zod.ts";

/** The digest of a tarball, as registries write it. */
export const integrityText = z.templateLiteral(["sha512-", z.string().regex(/^[A-Za-z0-9+/]{86}==$/u)]);

/** The digest of a card's files. */
export const treeText = z.templateLiteral(["drwn1-sha512-", z.string().regex(/^[\w-]{86}$/u)]);

/** A time in UTC, as `Date.toISOString` writes it. */
export const instantText = z.iso.datetime({ error: "a time like 2026-01-31T12:00:00.000Z" });

/**
 * Creates a schema when it is first needed. Creating one takes longer than reading a small file with it, and most
 * commands read only a few of the files that they know.
 */
export function lazily<S>(make: () => S): () => S {
  let made: { schema: S } | undefined;
  return () => {
    made ??= { schema: make() };
    return made.schema;
  };
}

const lines = new Map<number, ReturnType<typeof makeLineText>>();

/** One line of text for people. It has no control characters, which a terminal might obey. */
export function lineText(maximum: number): ReturnType<typeof makeLineText> {
  const known = lines.get(maximum) ?? makeLineText(maximum);
  lines.set(maximum, known);
  return known;
}

function makeLineText(maximum: number) {
  return z
    .string()
    .max(maximum)
    .regex(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/u, { error: "one line of text without control characters" });
}

/** Refuses the second of two equal items, and says where it is. */
export function unique<T extends string>(items: z.ZodArray<z.ZodType<T>>) {
  return items.check(({ value, issues }) => {
    value.forEach((item, at) => {
      if (value.indexOf(item) === at) return;
      issues.push({ code: "custom", input: item, path: [at], message: "listed once" });
    });
  });
}
