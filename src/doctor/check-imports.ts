import { readImported } from "../card/hooks/imported-file.ts";
import { readLeftOut } from "../card/hooks/left-out.ts";
import { hooksOf } from "../card/manifest.ts";
import type { Finding } from "../kernel/finding.ts";
import { clean, plural } from "../kernel/text.ts";
import type { InstalledCard } from "../workspace/installed-card.ts";

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
