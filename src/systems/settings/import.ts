import fs from "node:fs";
import path from "node:path";
import { HANDLER_FILE, type HandlerFile, parseHandler } from "../../card/compiler/handler-file.ts";
import { formatJson } from "../../format/write.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { eventNamed } from "../../policy/event-names.ts";
import { isCanonicalEvent, powersOf } from "../../policy/taxonomy.ts";
import { lineOfJsonEntry } from "../importing/entry-line.ts";
import { handlerHook } from "../importing/handler-hook.ts";
import { hookName } from "../importing/hook-name.ts";
import type { DescribeCoverage, Difference, Imported, ImportedHook } from "../importing/imported.ts";
import { handlerOf } from "./handler.ts";
import { readMatcher, type SettingsOwner } from "./matcher.ts";
import { readHookSettings, type SettingsEntry } from "./read.ts";

const FILES: Readonly<Record<SettingsOwner, readonly string[]>> = {
  claude: [".claude/settings.json", ".claude/settings.local.json", "settings.json"],
  codex: [".codex/hooks.json", "hooks.json"],
};

/**
 * Turns the hook settings of Claude Code or Codex into hooks of a card. A folder means the first settings file in it.
 */
export function importSettings(
  place: string,
  { owner, describeReach }: { owner: SettingsOwner; describeReach: DescribeCoverage },
): Imported {
  const file = fs.existsSync(place) && fs.statSync(place).isDirectory() ? findFile(place, owner) : place;
  const { text, entries } = readHookSettings(file);
  const taken = new Set<string>();
  const hooks: ImportedHook[] = [];
  const differences = entries.flatMap((entry): Difference[] => {
    const at = { policy: entry.entry, line: lineOfJsonEntry(text, entry.entry) };
    const made = makeHook(entry, { owner, root: rootOf(file), taken, describeReach });
    if ("why" in made) return [{ ...at, hook: null, what: `it is not imported: ${made.why}` }];
    hooks.push(made.hook);
    return made.differences.map((what) => ({ ...at, hook: made.hook.name, what }));
  });
  return { hooks, differences };
}

function findFile(folder: string, owner: SettingsOwner): string {
  const found = FILES[owner].map((name) => path.join(folder, name)).find((file) => fs.existsSync(file));
  if (found !== undefined) return found;
  throw new Problem("DRWN_POLICIES_UNREADABLE", `${clean(folder)} has none of ${FILES[owner].join(", ")}`);
}

/** The project of the settings, where their commands look for files. */
function rootOf(file: string): string {
  const folder = path.dirname(file);
  return /^\.(?:claude|codex)$/u.test(path.basename(folder)) ? path.dirname(folder) : folder;
}

interface Making {
  owner: SettingsOwner;
  root: string;
  taken: Set<string>;
  describeReach: DescribeCoverage;
}

type Made = { hook: ImportedHook; differences: string[] } | { why: string };

/** The events that Claude Code's hooks can guard. On other events a failure changes nothing, there or here. */
const GUARDED: readonly string[] = ["tool.before", "prompt.submit", "approval.before"];

function makeHook(entry: SettingsEntry, { owner, root, taken, describeReach }: Making): Made {
  const canonical = eventNamed(owner === "claude" ? "claude-code" : "codex", entry.event);
  if (!isCanonicalEvent(canonical)) return { why: `no card has hooks on ${entry.event}` };
  const event = canonical;
  // If there is nothing to match, the agents don't look at the matcher.
  const matcher = powersOf(event).subject === null ? { glob: null } : readMatcher(entry.matcher, owner);
  if ("why" in matcher) return matcher;
  const answering = handlerOf(entry.handler, root);
  if ("why" in answering) return answering;
  const { handler, script, timeoutMs } = answering;
  const file: HandlerFile = {
    event,
    policyKind: GUARDED.includes(event) ? "enforcement" : "observer",
    ...(matcher.glob === null ? {} : { matcher: matcher.glob }),
    timeoutMs,
    speaks: "claude",
    handler,
  };
  const fault = faultOf(file);
  if (fault !== undefined) return { why: fault };
  const name = hookName(answering.name, taken);
  const summary = `imported from the hook settings of ${owner === "claude" ? "Claude Code" : "Codex"}, ${entry.event}`;
  const further = handler.type === "command" ? (["env"] as const) : [];
  return {
    hook: handlerHook({ name, file, summary, further, ...(script === undefined ? {} : { script }) }),
    differences: [describeReach(canonical), ...describeTightened(event, owner), ...answering.notes],
  };
}

function describeTightened(event: HandlerFile["event"], owner: SettingsOwner): string[] {
  if (event === "tool.after") return ["what it says after a call does not reach the agent"];
  const ofCodex = owner === "codex" ? OF_CODEX[event] : undefined;
  return [
    ...(GUARDED.includes(event)
      ? [
          "whatever keeps it from answering blocks: an exit code other than 0 and 2, its deadline, an answer that isn't valid",
        ]
      : []),
    ...(event === "turn.stop" ? ["it keeps a turn going 8 times in a row at most"] : []),
    ...(ofCodex === undefined ? [] : [ofCodex]),
  ];
}

/** A card reads answers as Claude Code does, in every agent. Codex drops what it doesn't accept, and goes on. */
const OF_CODEX: { readonly [E in HandlerFile["event"]]?: string } = {
  "tool.before":
    "an `ask` asks a person, or blocks if none can be asked, a no without a reason blocks, and `updatedInput` counts without `allow`; Codex makes the call as it is",
  "turn.stop": "`additionalContext` that it prints keeps the turn going; Codex drops it",
};

/** Reports what packing would refuse, while somebody can still fix it. */
function faultOf(file: HandlerFile): string | undefined {
  try {
    parseHandler(Buffer.from(formatJson(file)), { file: HANDLER_FILE });
    return undefined;
  } catch (error) {
    if (!isProblem(error)) throw error;
    return error.message;
  }
}
