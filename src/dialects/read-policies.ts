import fs from "node:fs";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

/** The bytes of a file of policies. */
export function readPolicies(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    throw new Problem("DRWN_POLICIES_UNREADABLE", `${clean(file)} cannot be read: ${code}`, { cause });
  }
}
