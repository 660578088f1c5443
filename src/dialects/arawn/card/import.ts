import fs from "node:fs";
import path from "node:path";
import type { HandlerFile } from "../../../card/compiler/handler-module.ts";
import { compileMatcher } from "../../../card/matcher.ts";
import { isProblem, Problem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { NATIVE_TOOLS } from "../../../policy/dialect-names.ts";
import { isCanonicalEvent, powersOf } from "../../../policy/lifecycle-events.ts";
import { homesNamedIn } from "../../../wiring/launcher.ts";
import { carryScript } from "../../importing/carried-script.ts";
import { handlerHook, hookName, lineOfJsonEntry, lineOfTomlEntry } from "../../importing/handler-hook.ts";
import {
  ASKS_DRWN,
  AT_ONCE,
  type DescribeCoverage,
  type Difference,
  type Imported,
  type ImportedHook,
  readPolicies,
} from "../../importing/imported.ts";
import { canonicalEventOf, GATES, type HookDef, type LoadedArawnHooks, type Origin } from "../hook/hook.ts";
import { isPlugin, loadArawnHooks, loadFile, loadPlugin } from "../read/load.ts";
import { describeArawnFault } from "../run/dispatcher.ts";

/**
 * Turns a plugin's folder, a folder of plugins, or one of their files into hooks of a card that run the same scripts.
 * If Arawn's files are at fault, throws a `Problem` that names file, entry and field.
 */
export function importArawn(place: string, describeReach: DescribeCoverage): Imported {
  const { hooks: found, faults } = load(place);
  const errors = faults.filter(({ isNote }) => !isNote).map((fault) => clean(describeArawnFault(fault), 1_000));
  if (errors[0] !== undefined) throw new Problem("DRWN_POLICIES_UNREADABLE", errors[0], { details: errors.slice(1) });
  if (found.length === 0)
    throw new Problem("DRWN_POLICIES_UNREADABLE", `there are no hooks of Arawn in ${clean(place)}`);
  const taken = new Set<string>();
  const hooks: ImportedHook[] = [];
  const notes = faults.map(({ what, ...origin }) => ({
    ...placeOf(origin, place),
    hook: null,
    what: `not imported: ${what}`,
  }));
  const differences = found.flatMap((hook): Difference[] => {
    const at = placeOf(hook.origin, place);
    const made = makeHook(hook, { taken, describeReach });
    if ("why" in made) return [{ ...at, hook: null, what: `it is not imported: ${made.why}` }];
    hooks.push(made.hook);
    const isOneOfSeveral = found.filter(({ event }) => event === hook.event).length > 1;
    const said = isOneOfSeveral ? [...made.differences, AT_ONCE] : made.differences;
    return said.map((what) => ({ ...at, hook: made.hook.name, what }));
  });
  return { hooks, differences: [...differences, ...notes.filter(({ what }) => !what.includes("its timeout"))] };
}

function load(place: string): LoadedArawnHooks {
  if (!fs.existsSync(place)) throw new Problem("DRWN_POLICIES_UNREADABLE", `there is no ${clean(place)}`);
  if (fs.statSync(place).isDirectory())
    return isPlugin(place) ? loadPlugin(place) : loadArawnHooks({ home: null, root: place });
  const folder = path.dirname(place);
  const name = path.basename(place);
  if (name === "settings.json") return loadFile(place, { generation: "settings.json", folder: path.dirname(folder) });
  if (name === "plugin.toml") return loadFile(place, { generation: "plugin.toml", folder });
  const plugin = path.basename(folder) === "hooks" ? path.dirname(folder) : folder;
  return loadFile(place, { generation: "hooks.json", folder: plugin });
}

type Made = { hook: ImportedHook; differences: string[] } | { why: string };

function makeHook(
  hook: HookDef,
  { taken, describeReach }: { taken: Set<string>; describeReach: DescribeCoverage },
): Made {
  const event = canonicalEventOf(hook.event);
  if (!isCanonicalEvent(event)) return { why: `no card has hooks on ${hook.event}` };
  const hasFilter = hook.toolMatch !== null || hook.matchPattern !== null;
  if (hasFilter && powersOf(event).subject !== "tool") {
    return { why: `it filters by a tool, and ${hook.event} has none, so it never runs` };
  }
  const matching = matcherOf(hook);
  if ("why" in matching) return matching;
  const answering = handlerOf(hook);
  if ("why" in answering) return answering;
  const { handler, script, notes } = answering;
  const file: HandlerFile = {
    event,
    // A failure on the other events blocks nothing in Arawn either.
    policyKind: isGuard(hook) ? "enforcement" : "observer",
    ...(matching.matcher === null ? {} : { matcher: matching.matcher }),
    ...(hook.matchPattern === null ? {} : { inputPattern: hook.matchPattern }),
    timeoutMs: Math.min(Math.ceil(hook.timeoutMs), LONGEST_MS),
    speaks: hook.generation === "settings.json" ? "arawn-settings" : "arawn",
    handler,
  };
  const name = hookName(
    path.basename(hook.command.split(/\s/u, 1)[0] ?? "").replace(/\.\w+$/u, "") || hook.event,
    taken,
  );
  const summary = `imported from Arawn, ${hook.event}\n\nRuns \`${clean(hook.command, 80).replaceAll("`", "")}\``;
  return {
    hook: handlerHook({ name, file, summary, further: ["env"], ...(script === undefined ? {} : { script }) }),
    differences: [describeReach(event, event === "tool.before"), ...matching.notes, ...differencesOf(hook), ...notes],
  };
}

const LONGEST_MS = 30_000;
/** The commands that `drwn write` makes, and the one that replaces Arawn's own dispatcher. */
function asksDrwn(text: string): boolean {
  return /\bdrwn hook run\b/u.test(text) || homesNamedIn(text).length > 0;
}

function handlerOf(hook: HookDef) {
  if (asksDrwn(hook.command)) return { why: ASKS_DRWN };
  if (hook.generation === "settings.json") {
    const handler = { type: "command" as const, command: "sh", args: ["-c", hook.command] };
    const notes = [
      ...(hook.event === "PreToolUse"
        ? ["any end but the exit codes 0 and 2 blocks the call; Arawn lets it through"]
        : GATES.includes(hook.event)
          ? ["a command that is killed by a signal holds what it was asked about; Arawn goes on"]
          : []),
      "files that its command names are not in the card: it runs whatever is there at the time",
    ];
    return { handler, script: undefined, notes };
  }
  const script = carryScript({ root: hook.folder, file: path.resolve(hook.folder, hook.command) });
  if ("why" in script) return script;
  if (asksDrwn(script.text)) return { why: ASKS_DRWN };
  const { command, options, name } = script;
  const handler = { type: "command" as const, command, script: name, ...(options === undefined ? {} : { options }) };
  const named = pluginFilesNamedIn(script.text, { folder: hook.folder, own: path.resolve(hook.folder, hook.command) });
  const missing = named.map(
    (file) => `its script names \`${clean(file)}\` of the plugin's folder, which is not in the card`,
  );
  const isKnown = (note: string): boolean => named.some((file) => note.includes(`${path.basename(file)}\``));
  return { handler, script, notes: [...script.notes.filter((note) => !isKnown(note)), ...missing] };
}

function differencesOf({ event, matchPattern, generation, timeoutMs }: HookDef): string[] {
  const said: string[] = [];
  if (generation !== "settings.json") {
    said.push(
      "it runs in the folder that the agent works in, and without ARAWN_PLUGIN_DIR; Arawn runs it in its plugin's folder",
      "in Arawn all hooks of cards on one event have 9 seconds together, not 10 each",
    );
  }
  if (matchPattern !== null) said.push("its match_pattern is looked for in the input as the agent at hand spells it");
  if (event === "PostToolUse" || event === "Stop")
    said.push("the model is told what it prints, or the person sees it, in agents that take text then");
  if (event === "Stop") said.push("it sends the agent on 8 times in a row at most; its file does so 3 times");
  if (event === "SessionEnd") said.push("nobody is told what it prints: the session is over");
  else if (event !== "PreToolUse" && !powersOf(canonicalEventOf(event)).injects)
    said.push("nobody is told what it prints");
  if (timeoutMs > LONGEST_MS) said.push(`it has 30 seconds, not ${timeoutMs / 1_000}`);
  return said;
}

/** Whether the hook holds what it was asked about when it fails or is merely late. */
function isGuard({ event, generation }: HookDef): boolean {
  return event === "PreToolUse" || (generation === "settings.json" && GATES.includes(event));
}

function placeOf({ file, entry }: Origin, place: string): { policy: string; line: number } {
  const text = readPolicies(file).toString("utf8");
  const line = entry.startsWith("[[") ? lineOfTomlEntry(text, entry) : lineOfJsonEntry(text, entry);
  return { policy: `${entry} (${path.relative(place, file) || path.basename(file)})`, line };
}

/** The card matcher that finds the same tools (null: every tool), or the reason why there is none. */
function matcherOf({
  toolMatch: glob,
  generation,
}: HookDef): { matcher: string | null; notes: string[] } | { why: string } {
  if (glob === null) return { matcher: null, notes: [] };
  try {
    // Arawn takes these characters literally, and drwn doesn't.
    if ((generation === "settings.json" ? /^!|[{},]/u : /^!|[{},|]/u).test(glob))
      return { why: `its tool_match \`${glob}\` means something else in a card` };
    const matcher = inBraces(glob);
    return { matcher, notes: noteOn(glob, new RegExp(compileMatcher(matcher), "u")) };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { why: `its tool_match cannot be in a card: ${error.message}` };
  }
}

function noteOn(glob: string, isMeant: RegExp): string[] {
  const missed = Object.entries(NATIVE_TOOLS.arawn).filter(
    ([own, canonical]) => isMeant.test(canonical) && !isMeant.test(own),
  );
  return [
    `\`${glob}\` is compared with Arawn's own names of tools in every agent; a tool that it has none for goes by the name that policies know`,
    ...missed.map(
      ([own, canonical]) => `\`${glob}\` does not find ${canonical} of other agents, which is \`${own}\` to Arawn`,
    ),
  ];
}

/** A class that isn't negated. A `]` that comes first is one of its characters. */
const CLASS = /\[(?!!)(\]?[^\]]*)\]/gu;

/**
 * Writes `[ab-d]x` as `{a,b,c,d}x`: a matcher has no classes. What no matcher can express stays as it is, and is
 * refused later.
 */
function inBraces(glob: string): string {
  return glob.replaceAll(CLASS, (whole, inside: string) => {
    const characters = [...inside.matchAll(/(.)-(.)|./gsu)].flatMap(([one, first, last]) =>
      first === undefined || last === undefined ? [one] : between(first, last),
    );
    const distinct = [...new Set(characters)];
    if (!distinct.every((one) => /^[\p{L}\p{N}_.:/@-]$/u.test(one))) return whole;
    return distinct.length === 1 ? distinct.join("") : `{${distinct.join(",")}}`;
  });
}

/** No more characters than a matcher can have. */
const MOST = 64;

function between(first: string, last: string): string[] {
  const from = first.codePointAt(0) ?? 0;
  const length = Math.min((last.codePointAt(0) ?? 0) - from + 1, MOST + 1);
  return Array.from({ length }, (_, at) => String.fromCodePoint(from + at));
}

/** More files than any plugin has, so that drwn doesn't search somebody's whole disk. */
const MOST_FILES = 2_000;

/** The files of a plugin that a script names, relative to its folder. A card with the script alone lacks them. */
function pluginFilesNamedIn(text: string, { folder, own }: { folder: string; own: string }): string[] {
  return filesBelow(folder).filter((file) => path.join(folder, file) !== own && isNamed(path.basename(file), text));
}

const OF_NAMES = /[\w.-]/u;

/** Whether the text has the name, and not just as a part of a longer name. */
function isNamed(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = [text[at - 1] ?? " ", text[at + name.length] ?? " "];
    if (!around.some((character) => OF_NAMES.test(character))) return true;
  }
  return false;
}

function filesBelow(folder: string): string[] {
  const found: string[] = [];
  const folders = [""];
  for (let next = folders.shift(); next !== undefined && found.length < MOST_FILES; next = folders.shift()) {
    for (const entry of fs.readdirSync(path.join(folder, next), { withFileTypes: true })) {
      const name = path.join(next, entry.name);
      if (entry.isDirectory() && folders.length < MOST_FILES) folders.push(name);
      // A link may lead to a file or to a folder: a script finds either by its name.
      else if (entry.isFile() || entry.isSymbolicLink()) found.push(name);
    }
  }
  return found.sort().slice(0, MOST_FILES);
}
