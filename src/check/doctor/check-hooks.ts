import { readImported, readLeftOut } from "../../card/hooks/imported-file.ts";
import { hooksOf } from "../../card/manifest.ts";
import type { Finding } from "../../kernel/problem.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { InstalledCard } from "../../project/open/installed-card.ts";
import type { EventCoverage } from "../../write/limits.ts";

/** Cards of hooks that do something otherwise than in the system that they were imported from, or lack some of them. */
export function checkImports(cards: readonly InstalledCard[]): Finding[] {
  return cards.flatMap(({ locked, manifest, files }): Finding[] => {
    const imported = hooksOf(manifest).flatMap((hook) => readImported(hook, files) ?? []);
    const leftOut = readLeftOut(files);
    const missed = leftOut.reduce((count, { hooks }) => count + hooks.length, 0);
    const systems = [...new Set([...imported, ...leftOut].map(({ from }) => clean(from)))].join(", ");
    if (systems === "" || imported.length + missed === 0) return [];
    const lacks = missed === 0 ? "" : `without ${plural(missed, "hook")}, which its left-out.json names`;
    const differs =
      imported.length === 0
        ? ""
        : `with differences, which the imported.json of ${plural(imported.length, "hook")} lists`;
    const message = `imported from ${systems} ${[differs, lacks].filter((part) => part !== "").join(", and ")}`;
    const hint = missed === 0 ? null : `drwn card show ${locked.name}`;
    return [{ code: "imported-with-differences", severity: "warning", subject: locked.name, message, hint }];
  });
}

/** Enforcement hooks that no guarded agent asks, or whose event no guarded agent can hold. */
export function checkEventCoverage(reach: readonly EventCoverage[]): Finding[] {
  return reach.flatMap(({ card, hook, event, kind, agents }): Finding[] => {
    if (kind !== "enforcement") return [];
    const subject = `${card}#${hook}`;
    if (agents.length > 0) {
      if (!agents.every(({ lacks }) => lacks.includes("hold"))) return [];
      const names = agents.map(({ runtime }) => runtime).join(" and ");
      const message = `${names} cannot hold ${event}: this guard is asked, but drwn only notes what it says`;
      return [{ code: "hook-holds-nothing", severity: "warning", subject, message, hint: null }];
    }
    return [
      {
        code: "hook-runner-only",
        severity: "warning",
        subject,
        message: `no agent that is guarded here reports ${event}: only drwn hook run asks this hook`,
        hint: `drwn hook run --event ${event} < payload.json`,
      },
    ];
  });
}
