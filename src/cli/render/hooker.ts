import { clean, plural } from "../../kernel/text.ts";
import type { HookerReport } from "../../operations/diagnose/inspect-hooker.ts";
import type { Console } from "../terminal/console.ts";

/** What hooker's policies.rb files do and don't, a file at a time. */
export function renderHooker({ files, command }: HookerReport, { out, style }: Console): void {
  if (files.length === 0) out("There is no .claude/policies.rb here or above.");
  for (const { path, error, policies, findings, programs } of files) {
    out(`${clean(path, 2000)}: ${error === null ? plural(policies, "policy", "policies") : style.bad(clean(error))}`);
    for (const { policy, line, level, what } of findings) {
      const mark = level === "error" ? style.bad(level) : style.warn(level);
      out(`  ${mark} line ${line}, ${clean(policy)}: ${clean(what)}`);
    }
    for (const program of programs) out(`  starts ${clean(program)}`);
  }
  out(`To run them instead of hooker: ${clean(command, 4000)}`);
}
