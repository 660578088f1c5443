import fs from "node:fs";
import path from "node:path";
import { Problem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { eventNamed } from "../../../policy/dialect-names.ts";
import { POLYTOKEN_TOOLS } from "../../../policy/polytoken-names.ts";
import { filesNamedIn, noteOnNamedFile } from "../../importing/carried-script.ts";
import { hookName, literal } from "../../importing/handler-hook.ts";
import {
  ASKS_DRWN,
  AT_ONCE,
  type DescribeCoverage,
  type Difference,
  type Imported,
  type ImportedHook,
} from "../../importing/imported.ts";
import { type NumberedEntry, readHooksFile } from "../read/load.ts";
import { isAwaited, POLYTOKEN_EVENTS } from "../words/events.ts";
import { compilePolytokenGlob } from "../words/glob.ts";
import type { PolytokenHook } from "../words/run-hook.ts";

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

/** How the entries that `drwn write` makes begin. */
const OWN_ENTRY = /^(?:drwn_(?:hook|shared)=|["'][^"']*\/bin\/hook["'] polytoken )/u;

/** Why no card can hold this hook; undefined: a card can. */
function whyNotFromPolytoken({ event, matcher, handler }: PolytokenHook): string | undefined {
  if (OWN_ENTRY.test(handler.bash)) return ASKS_DRWN;
  if (matcher === undefined || POLYTOKEN_EVENTS[event].subject !== "event" || compilePolytokenGlob(matcher)(event))
    return undefined;
  return `it never fires: its matcher is compared with \`${event}\``;
}

/** How and where the hook in the card differs from Polytoken's. */
function polytokenDifferences(hook: PolytokenHook, describeReach: DescribeCoverage): string[] {
  const { event, matcher, handler } = hook;
  const { subject } = POLYTOKEN_EVENTS[event];
  return [
    describeReach(eventNamed("polytoken", event), subject === "tool"),
    ...(subject === "tool" ? ofTools(matcher) : []),
    ...(subject === "subagent" ? ["its subject is the agent's own type of the subagent"] : []),
    ...filesNamedIn(handler.bash).map(noteOnNamedFile),
    "in other agents its paths begin in the folder that the agent works in at the time",
    "its script is stopped after 10 seconds; Polytoken waits longer",
    ...(keepsBothOutputs(event) ? ["what it prints on both outputs becomes one reason"] : []),
    ...(isAwaited(event) ? [] : ["the agent waits for it to end"]),
    ...(event === "pre_compaction" ? ["`suppress` ends the compaction as `cancel` does"] : []),
    ...(event === "stop" ? ["it keeps a turn going 8 times in a row at most, and once where its script fails"] : []),
  ];
}

/** Whether Polytoken passes on the outputs of a script that says no, besides its reason. */
function keepsBothOutputs(event: PolytokenHook["event"]): boolean {
  const { stop, outcomes } = POLYTOKEN_EVENTS[event];
  return outcomes[stop ?? ""]?.fields.includes("stdout") === true;
}

function ofTools(matcher: string | undefined): string[] {
  const matches = matcher === undefined ? () => true : compilePolytokenGlob(matcher);
  const known = Object.entries(POLYTOKEN_TOOLS).filter(([own]) => matches(own));
  const names = known.map(([own, name]) => `\`${name}\` is \`${own}\``).join(", ");
  return [
    names === ""
      ? "in other agents it fires on tools of exactly this name"
      : `in other agents ${names} to it; other tools go by their own names`,
    "in other agents a call has their input, with its file as `path`, relative to the call's folder if it is inside",
  ];
}
