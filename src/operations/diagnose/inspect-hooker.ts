import fs from "node:fs";
import path from "node:path";
import type { Host } from "../../kernel/host.ts";
import { packageFile } from "../../kernel/package-file.ts";
import { isProblem } from "../../kernel/problem.ts";
import { readIfThere } from "../../kernel/read-file.ts";
import { shellQuote } from "../../kernel/text.ts";
import { HOOKER } from "../../systems/hooker/dialect.ts";
import { type InspectedFile, inspectPolicies } from "../../systems/hooker/inspect.ts";

export interface HookerReport {
  /** The broadest first, as hooker evaluates them. */
  files: (InspectedFile & { path: string })[];
  /** False if a file, or a policy in it, has no effect. */
  ok: boolean;
  /** The command that replaces hooker's own program in the settings of an agent. */
  command: string;
}

/** Every policies.rb that an event from this folder would meet. Runs none of them. */
export function inspectHooker(host: Host): HookerReport {
  const files: HookerReport["files"] = [];
  for (let folder = host.cwd; ; folder = path.dirname(folder)) {
    const file = path.join(folder, ".claude", "policies.rb");
    if (fs.existsSync(file)) files.unshift({ path: file, ...inspect(file) });
    if (folder === path.dirname(folder)) break;
  }
  const isSound = ({ error, findings }: InspectedFile): boolean =>
    error === null && findings.every(({ level }) => level === "warning");
  const command = [host.nodePath, packageFile(HOOKER.program)].map(shellQuote).join(" ");
  return { files, ok: files.every(isSound), command };
}

function inspect(file: string): InspectedFile {
  const unread = (why: string): InspectedFile => ({ error: why, policies: 0, findings: [], programs: [] });
  try {
    const bytes = readIfThere(file);
    return bytes === undefined ? unread("it is gone") : inspectPolicies(bytes);
  } catch (error) {
    if (isProblem(error)) return unread(error.message);
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    return unread(`it cannot be read: ${code}`);
  }
}
