import { isProblem, type Problem } from "../kernel/problem.ts";

const UNEDITABLE: ReadonlySet<string> = new Set([
  "DRWN_FILE_TOO_LARGE",
  "DRWN_SETTINGS_INVALID",
  "DRWN_SETTINGS_UNSAFE",
  "DRWN_TARGET_UNWRITABLE",
]);

/** A file that cannot be edited comes back as the problem that it is. */
export function planUnlessUneditable<T>(plan: () => T): T | Problem {
  try {
    return plan();
  } catch (error) {
    if (isProblem(error) && UNEDITABLE.has(error.code)) return error;
    throw error;
  }
}
