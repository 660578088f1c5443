import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parseToml } from "../../kernel/format/toml.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { type Change, planFile, readTarget } from "../../wiring/changes.ts";
import type { HookEntry } from "../../wiring/entries/plan-entries.ts";
import { foldersAround, missingFolders } from "../../wiring/file-location.ts";
import { isObject } from "../../wiring/json-file.ts";
import type { ManagedHooksRequest, PlannedHooks } from "../../wiring/target.ts";
import { codexTable, readCodexConfig } from "./settings.ts";

/**
 * Puts tables at the end of the owner's requirements, between two lines that mark them; every other byte stays.
 * Measured with Codex 0.169.0: such hooks need no trust by hash, and if `hooks` is required they run whatever a user or
 * a project says.
 */
export function planCodexManaged({ originalOf }: ManagedHooksRequest, entries: readonly HookEntry[]): PlannedHooks {
  const file = requirementsFile();
  const place = { root: "/", file };
  const found = readTarget(file)?.toString("utf8");
  const others = found === undefined ? undefined : withoutOurs(found);
  const known = originalOf(file);
  const holdsOurs = found !== others;
  const origin = holdsOurs && known !== undefined ? known : originFor(found, missingFolders(place));
  const isMade = origin.containers["file"] === null;
  const after = entries.length === 0 ? others : withOurs(others ?? "", { file, entries });
  const isGone = entries.length === 0 && (after ?? "") === "" && isMade && (holdsOurs || found === undefined);
  const change = planFile({
    path: file,
    after: isGone || after === undefined ? null : Buffer.from(after),
    what: "hooks in the machine's requirements",
    ...(found === undefined ? { mode: 0o644 } : {}),
  });
  const changes = change === undefined ? [] : [withFolders(change, foldersAround(place, origin.folders))];
  return { file, changes, originals: new Map([[file, origin]]) };
}

function originFor(found: string | undefined, folders: string[]) {
  return { containers: found === undefined ? { file: null } : {}, folders: found === undefined ? folders : [] };
}

function withFolders(change: Change, folders: readonly string[]): Change {
  return change.after === null ? { ...change, folders } : change;
}

const BEGIN = "# drwn begins: made by `drwn write --system`, and made anew by it";
const END = "# drwn ends";

/** The text without our block. If the text had no last line break, our block added one, which goes, too. */
function withoutOurs(text: string): string {
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END, from);
  if (from < 0 || to < 0) return text;
  const rest = text.slice(to + END.length);
  return rest.startsWith("\n") ? text.slice(0, from) + rest.slice(1) : text.slice(0, from).replace(/\n$/u, "") + rest;
}

/** Refuses if the result isn't exactly what was there plus our entries. */
function withOurs(others: string, { file, entries }: { file: string; entries: readonly HookEntry[] }): string {
  const before = parseToml(others, { file });
  const features = codexTable(before, "features");
  const isRequired = features["hooks"] === true;
  const head = isRequired ? [] : ["[features]", "hooks = true"];
  const lines = [BEGIN, ...head, ...entries.flatMap(tablesOf), END];
  const isWhole = others === "" || others.endsWith("\n");
  const text = isWhole ? `${others}${lines.join("\n")}\n` : `${others}\n${lines.join("\n")}`;
  const wanted = joined(before, entries);
  if (!isDeepStrictEqual(plain(attempt(text, file)), plain(wanted))) throw notJoined(file, features);
  return text;
}

function attempt(text: string, file: string): unknown {
  try {
    return parseToml(text, { file });
  } catch {
    return null;
  }
}

/** Drops the reader's prototypes and classes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function joined(before: Record<string, unknown>, entries: readonly HookEntry[]): Record<string, unknown> {
  const hooks: Record<string, unknown> = { ...codexTable(before, "hooks") };
  for (const { event, value } of entries) {
    const groups = hooks[event];
    hooks[event] = [...(Array.isArray(groups) ? groups : []), value];
  }
  return { ...before, features: { ...codexTable(before, "features"), hooks: true }, hooks };
}

function notJoined(file: string, features: Record<string, unknown>): Problem {
  const isOff = features["hooks"] === false;
  const hasFeatures = Object.keys(features).length > 0;
  return new Problem("DRWN_TARGET_OCCUPIED", `drwn's hooks don't fit into ${clean(file)} as it is`, {
    details: isOff
      ? ["`[features] hooks = false` keeps Codex from running any hook: the machine's owner has decided that"]
      : hasFeatures
        ? ["Codex heeds its users' `hooks = false` unless the machine's owner requires hooks"]
        : [],
    hint: hasFeatures
      ? `write hooks = true into [features] of ${clean(file)}, then run the command again`
      : `write \`hooks\` of ${clean(file)} without braces or brackets, then run the command again`,
  });
}

function tablesOf({ event, value }: HookEntry): string[] {
  const handlers = Array.isArray(value["hooks"]) ? value["hooks"] : [];
  return [
    `[[hooks.${event}]]`,
    ...handlers.filter(isObject).flatMap((handler) => [
      `[[hooks.${event}.hooks]]`,
      // A JSON string is a TOML string, too.
      ...Object.entries(handler).map(([name, one]) => `${name} = ${JSON.stringify(one)}`),
    ]),
  ];
}

/**
 * The owner's requirements file, if it holds all of these entries; otherwise null. Measured with Codex 0.169.0: its
 * hooks run whether or not anybody trusts them, but not if hooks are off.
 */
export function findRequiredEntry(entries: readonly HookEntry[], machine?: string): string | null {
  const file = requirementsFile(machine);
  const hooks = codexTable(readCodexConfig(file), "hooks");
  const holds = ({ event, value }: HookEntry) => {
    const groups = hooks[event];
    return Array.isArray(groups) && groups.some((group) => isObject(group) && isSame(group, value));
  };
  return entries.length > 0 && entries.every(holds) ? file : null;
}

/** Whether the group is for every tool and has each handler as `drwn write` makes it, perhaps beside others. */
function isSame({ matcher, hooks }: Record<string, unknown>, value: HookEntry["value"]): boolean {
  const [found, wanted] = [hooks, value["hooks"]].map((list): unknown[] => (Array.isArray(list) ? list : []));
  if (matcher !== undefined) return false;
  return (
    wanted?.every((one) => found?.some((handler) => isObject(handler) && isDeepStrictEqual({ ...handler }, one))) ===
    true
  );
}

/**
 * Where the machine's owner keeps settings of Codex that users cannot change. On macOS, device management profiles may
 * say more.
 */
export const CODEX_MACHINE = "/etc/codex";

/** The owner's requirements, which override every configuration. */
export function requirementsFile(machine = CODEX_MACHINE): string {
  return path.join(machine, "requirements.toml");
}

/** The owner's configurations: a user may override the first, but not the second. */
export function machineConfigFiles(machine = CODEX_MACHINE): string[] {
  return ["config.toml", "managed_config.toml"].map((name) => path.join(machine, name));
}
