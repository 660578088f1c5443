import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { HookerCall } from "./call.ts";
import { statOf } from "./discover.ts";
import type { LoadedPolicies } from "./load.ts";

const LARGEST_FILE = 16 * 1024 * 1024;

/** Files by the path that hooker joins, in order, each once. */
export function pathsOf(
  policies: readonly LoadedPolicies[],
  filesOf: (policy: LoadedPolicies) => readonly string[],
): string[] {
  return [
    ...new Set(
      policies.flatMap((policy) =>
        filesOf(policy).map((file) =>
          file.startsWith("/") ? file : `${policy.root === "/" ? "" : policy.root}/${file}`,
        ),
      ),
    ),
  ];
}

/** Each file's text between tags of its name. A file that cannot be read becomes a warning. */
export function readContext(paths: readonly string[], { warnings }: HookerCall): string[] {
  return paths.flatMap((path) => {
    const content = read(path);
    if (content === undefined) warnings.add(`context file not found: ${path}`);
    else if (content === null) warnings.add(`context file is larger than ${LARGEST_FILE} bytes: ${path}`);
    else return [`<${basename(path)}>\n${content}\n</${basename(path)}>`];
    return [];
  });
}

/** Undefined: it isn't there; null: it is too large. */
function read(path: string): string | null | undefined {
  const stat = statOf(path);
  // A pipe or a device could keep the agent waiting for ever.
  if (stat === undefined || !stat.isFile()) return undefined;
  if (stat.size > LARGEST_FILE) return null;
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
