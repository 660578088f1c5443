import { isProblem, Problem } from "../../kernel/problem.ts";
import { readIfThere } from "../../kernel/read-file.ts";
import { clean } from "../../kernel/text.ts";

const MAXIMUM_BYTES = 16 * 1024 * 1024;

/** The bytes of a file of policies. */
export function readPolicies(file: string): Buffer {
  try {
    const bytes = readIfThere(file, MAXIMUM_BYTES);
    if (bytes !== undefined) return bytes;
  } catch (cause) {
    if (isProblem(cause)) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    throw new Problem("DRWN_POLICIES_UNREADABLE", `${clean(file)} cannot be read: ${code}`, { cause });
  }
  throw new Problem("DRWN_POLICIES_UNREADABLE", `${clean(file)} cannot be read: ENOENT`);
}
