import fs from "node:fs";
import path from "node:path";
import { Problem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { hookName } from "../../importing/hook-name.ts";
import {
  AT_ONCE,
  type DescribeCoverage,
  type Difference,
  type Imported,
  type ImportedHook,
} from "../../importing/imported.ts";
import { literal } from "../../importing/literal.ts";
import type { NumberedEntry } from "../read/hooks-file.ts";
import { readHooksFile } from "../read/hooks-file.ts";
import { isAwaited } from "../words/events.ts";
import type { PolytokenHook } from "../words/run-hook.ts";
import { polytokenDifferences, whyNotFromPolytoken } from "./differences.ts";

/**
 * Turns a hooks.json, or the one in a project's folder, into hooks of a card that run the same scripts. If Polytoken
 * would refuse the file, throws a `Problem` that names file, line, entry and field.
 */
export function importPolytoken(place: string, describeReach: DescribeCoverage): Imported {
  const file = fs.existsSync(place) && fs.statSync(place).isDirectory() ? findHooksFile(place) : place;
  const read = readHooksFile(file);
  if (read === undefined) throw new Problem("DRWN_POLICIES_UNREADABLE", `there is no ${clean(file)}`);
  const taken = new Set<string>();
  const hooks: ImportedHook[] = [];
  const differences = read.entries.flatMap(({ entry, line }: NumberedEntry): Difference[] => {
    if ("off" in entry) {
      return [
        { policy: `!${entry.off}`, hook: null, line, what: "it turns off a global hook, and no card can do that" },
      ];
    }
    const reason = whyNotFromPolytoken(entry);
    if (reason !== undefined) return [{ policy: entry.name, hook: null, line, what: `it is not imported: ${reason}` }];
    const name = hookName(entry.name, taken);
    hooks.push({ name, policy: emitPolicy(entry), readme: emitReadme(name, entry), capabilities: ["env", "exec"] });
    const said = polytokenDifferences(entry, describeReach);
    if (isAwaited(entry.event) && isOneOfSeveral(entry, read.entries)) said.push(AT_ONCE);
    return said.map((what) => ({ policy: entry.name, hook: name, line, what }));
  });
  return { hooks, differences };
}

function isOneOfSeveral({ event }: PolytokenHook, entries: readonly NumberedEntry[]): boolean {
  return entries.filter(({ entry }) => !("off" in entry) && entry.event === event).length > 1;
}

function findHooksFile(folder: string): string {
  const candidates = [path.join(folder, ".polytoken", "hooks.json"), path.join(folder, "hooks.json")];
  const found = candidates.find((file) => fs.existsSync(file));
  if (found !== undefined) return found;
  throw new Problem("DRWN_POLICIES_UNREADABLE", `${clean(folder)} has no .polytoken/hooks.json and no hooks.json`);
}

/** The entry as it is: whoever reviews the card sees the script that runs. */
function emitPolicy({ name, event, matcher, handler }: PolytokenHook): string {
  return [
    'import { polytokenHook } from "darwinian-minds/hook-policy/polytoken";',
    "",
    "export default polytokenHook({",
    `  name: ${literal(name)},`,
    `  event: ${literal(event)},`,
    ...(matcher === undefined ? [] : [`  matcher: ${literal(matcher)},`]),
    `  handler: { bash: ${script(handler.bash)} },`,
    "});",
    "",
  ].join("\n");
}

/** A script of several lines keeps them, so that a review shows them one below the other. */
function script(bash: string): string {
  if (!bash.includes("\n")) return literal(bash);
  const lines = bash.split("\n").map((line) => `\n    ${literal(line)},`);
  return `[${lines.join("")}\n  ].join("\\n")`;
}

function emitReadme(name: string, { name: own, event, matcher }: PolytokenHook): string {
  const on = matcher === undefined ? "" : `, where the subject matches \`${clean(matcher).replaceAll("`", "")}\``;
  return `# ${name}: ${clean(own, 80)}\n\nImported from a hooks.json of Polytoken: runs a Bash script on ${event}${on}.\n`;
}
