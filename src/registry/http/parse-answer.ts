import { parseFormat } from "../../format/read.ts";
import type * as z from "../../format/zod.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";

/** Parses what a server sent. If it doesn't fit the schema, the registry is at fault, not a file. */
export function parseAnswer<S extends z.ZodType>(
  bytes: Buffer,
  schema: S,
  { from, maximumBytes }: { from: string; maximumBytes: number },
): z.output<S> {
  try {
    return parseFormat(bytes, schema, { file: from, maximumBytes });
  } catch (error) {
    if (!isProblem(error)) throw error;
    const isPage = /^\s*<(?:!doctype|html)/iu.test(bytes.subarray(0, 100).toString("latin1"));
    throw new Problem("DRWN_REGISTRY_INVALID", error.message, {
      details: isPage ? [`${from} sends a web page: it may want a login, or be no registry`] : error.details,
      cause: error,
    });
  }
}
