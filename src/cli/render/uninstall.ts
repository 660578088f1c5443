import { type CommandScope, sayIn } from "../../kernel/advice.ts";
import { clean } from "../../kernel/text.ts";
import type { UninstallResult } from "../../operations/project/uninstall.ts";
import type { Console } from "../terminal/console.ts";

export function renderUninstalled(
  { changes, removed, projects, remaining }: UninstallResult,
  { out, talk, style, scope }: Console,
  { isDryRun }: { isDryRun: boolean },
): void {
  const would = isDryRun ? "would " : "";
  for (const { action, path, what } of changes) out(`${would}${action} ${clean(path, 2000)} (${clean(what)})`);
  for (const place of removed) out(`${would}remove ${clean(place, 2000)}`);
  if (changes.length + removed.length === 0) out("No agent calls drwn");
  for (const { folders, isThere } of projects) {
    if (!isThere)
      out(
        `a project that is gone: ${clean(folders.join(", ") || "nobody knows where it was", 2000)} (moved? ${IN_IT})`,
      );
  }
  for (const { kind, path, why, hint } of remaining) {
    if (kind !== "entry" && kind !== "shared") continue;
    talk(`${style.bad("remains")} ${clean(path, 2000)}: ${clean(why, 1000)}`);
    if (hint !== null) talk(`  hint: ${clean(sayIn(scope, hint), 1000)}`);
  }
  for (const [why, places] of placesByReason(remaining, scope)) {
    out(`remains, ${why}:`);
    for (const place of places) out(`  ${clean(place, 2000)}`);
  }
}

/** The places that are meant to stay, by their reason: one reason has many. */
function placesByReason(remaining: UninstallResult["remaining"], scope: CommandScope): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const { kind, path, why, hint } of remaining) {
    if (kind === "entry" || kind === "shared") continue;
    const reason = clean(hint === null ? why : `${why}; \`${sayIn(scope, hint)}\` removes it`, 1000);
    places.set(reason, [...(places.get(reason) ?? []), path]);
  }
  return places;
}

const IN_IT = "run drwn uninstall in its new place, before a purge";
