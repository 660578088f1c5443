import { clean, plural } from "../../kernel/text.ts";
import type { WriteResult } from "../../operations/write.ts";
import type { Console } from "../console.ts";

/** The `--json` answer of `write`. */
export function writeToJson(written: WriteResult): object {
  const { changes, plan, joined, kept, servers, hookIssues, settingsFile } = written;
  return {
    changes: changes.map(({ action, path, what }) => ({ action, path, what })),
    policies: plan.policies.map(({ card, cardVersion, hook, kind }) => ({ card, version: cardVersion, hook, kind })),
    joined,
    kept,
    servers,
    settingsFile,
    hookIssues,
  };
}

export function renderWrite(
  written: WriteResult,
  { out, talk, style }: Console,
  { isDryRun }: { isDryRun: boolean },
): void {
  const { changes, plan, joined, kept, servers, findings } = written;
  for (const { action, path, what } of changes)
    out(`${isDryRun ? "would " : ""}${action} ${clean(path, 2000)} (${clean(what)})`);
  if (changes.length === 0) out("Already up to date");
  for (const card of joined) out(`${clean(card)} is inside the range you consented to, and joined`);
  if (plan.policies.length > 0) {
    const names = plan.policies.map(({ card, cardVersion, hook }) => `${card}@${cardVersion}#${hook}`);
    out(`${plural(names.length, "hook policy", "hook policies")} in force: ${clean(names.join(", "), 2000)}`);
  }
  for (const { name, runs } of servers) out(`MCP server ${clean(name)} runs: ${clean(runs, 2000)}`);
  for (const file of kept) talk(`${style.warn("kept")} ${clean(file, 2000)}: it was changed after drwn wrote it`);
  for (const { severity, subject, message, hint } of findings) {
    talk(
      `${severity === "error" ? style.bad(severity) : style.warn(severity)}: ${clean(subject)}: ${clean(message, 1000)}`,
    );
    if (hint !== null) talk(`  hint: ${clean(hint)}`);
  }
}
