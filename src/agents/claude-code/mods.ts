import fs from "node:fs";
import path from "node:path";
import { readBounded } from "../../format/read.ts";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { isObject } from "../../wiring/json-file.ts";
import { findPluginHooks, findPlugins, type PluginsPlace, readJson } from "./plugins.ts";

/**
 * Finds the mods that can let a call run although a hook denied it: plugins whose code Claude Code loads into its own
 * process and asks before the hooks of users and projects. It reports mods that name an event of a call, and mods whose
 * events nobody can tell. Measured with Claude Code 2.1.329. None of their code runs here.
 */
export function checkMods(place: PluginsPlace): Finding[] {
  const findings = findPlugins(place).flatMap(({ name, folder, by }) => {
    const code = readCode(folder);
    if (code === null) return [];
    const events = namedEvents(code);
    const isOfProject = by.startsWith(`${place.root}${path.sep}`);
    if (events.length === 0 && !isOfProject && isPlain(code)) return [];
    const what = events.length === 0 ? "doesn't say plainly which events it handles" : `handles ${events.join(", ")}`;
    const message = `the mod ${clean(name, 200)} of Claude Code${isOfProject ? ", which the project's settings load," : ""} ${clean(what, 500)}: it can let a denied call run, or keep the hook from being asked`;
    const hint = waysOut(name, by);
    return [{ code: "mod-can-overrule", severity: "warning" as const, subject: folder, message, hint }];
  });
  return [...new Map(findings.map((finding) => [finding.message, finding])).values()];
}

function waysOut(name: string, by: string): string {
  const own = by.endsWith(".json") ? `take ${clean(name, 200)} out of enabledPlugins in ${by}` : `take it out of ${by}`;
  return `${own}, or have an administrator put drwn's entry into Claude Code's managed settings, or set allowManagedModsOnly there`;
}

/**
 * The events by which a mod decides a call, wherever a string in its code names one. A pattern that excludes events
 * counts, too.
 */
const EVENT =
  /["'`]((?:tool\.(?:call|check|judge|run)|classic\.\w+|permission\.\w+|(?:tool|classic|permission)\.\*|\*|!\w+\.[\w*]+))["'`]/gu;

/**
 * Claude Code 2.1.329 refuses a mod that builds an event's name from several strings, or uses `on` other than to call
 * it or to pass it to one of its own functions. A string may contain escapes.
 */
function namedEvents(code: string): string[] {
  const read = [code, withoutEscapes(code)];
  return [...new Set(read.flatMap((text) => [...text.matchAll(EVENT)].map(([, event = ""]) => event)))].sort();
}

const ESCAPE = /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,8})\}|([0-3]?[0-7]{1,2})|(\r\n|.))/gisu;

function withoutEscapes(code: string): string {
  return code.replace(ESCAPE, (_, byte, unit, point, octal, other: string) => {
    const hex = byte ?? unit ?? point;
    if (other !== undefined) return /[\r\n\u2028\u2029]/u.test(other) ? "" : other;
    const sign = Number.parseInt(hex ?? octal, hex === undefined ? 8 : 16);
    return sign > 0x10ffff ? "" : String.fromCodePoint(sign);
  });
}

/** `register(on)` declares the name and doesn't use it. */
const DECLARED = /\bregister\s*\(\s*on\b/gu;
const HANDED_ON = /[(,=:[]\s*on\s*[,;)\]}\n]|\bon\s*(?:\.|\?\.|\[)/u;

/** Whether every call of `on` names its event with a plain string; otherwise it may handle any event. */
function isPlain(code: string): boolean {
  const used = code.replace(DECLARED, "");
  const handled = [...used.matchAll(/\bon\s*\(/gu)].length;
  const named = [...used.matchAll(/\bon\s*\(\s*["'`][\w.:-]+["'`]\s*[,)]/gu)].length;
  return (
    handled === named &&
    used !== code &&
    !HANDED_ON.test(used) &&
    !/\b(?:eval|Function|import)\s*\(|\brequire\s*\(|\bfrom\s*["'`]/u.test(used)
  );
}

/** Stands for code that cannot be read, and so may handle any event. */
const ANY = 'on("*")';
const LARGEST_CODE = 8 * 1024 * 1024;
const MOST_FILES = 20_000;

/** All code in the plugin; null: Claude Code loads no code from it. */
function readCode(folder: string): string | null {
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  // It is an archive, which Claude Code unpacks.
  if (!stat.isDirectory()) return ANY;
  if (!findPluginHooks(folder).some(mayNameModules)) return null;
  const files = filesIn(folder);
  if (files === null) return ANY;
  const code = files.filter((file) => /\.[cm]?[jt]sx?$/u.test(file));
  return code.map((file) => readText(file, LARGEST_CODE)).join("\n");
}

function mayNameModules(file: string): boolean {
  const value = readJson(file);
  if (value === null) return true;
  const { modules, hooks } = value;
  return modules !== undefined || (isObject(hooks) && hooks["modules"] !== undefined);
}

/**
 * All files of the plugin; null: there are too many to read. Claude Code follows links within a plugin, and doesn't
 * load a plugin with a link that leads out of it.
 */
function filesIn(folder: string): string[] | null {
  try {
    const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
    if (entries.length > MOST_FILES) return null;
    return entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => path.join(parentPath, name));
  } catch {
    // It isn't there, or Claude Code cannot read it either.
    return [];
  }
}

function readText(file: string, maximumBytes: number): string {
  try {
    return readBounded(file, { maximumBytes })?.toString("utf8") ?? "";
  } catch (error) {
    // A file that is too large may name any event.
    if (isProblem(error)) return ANY;
    throw error;
  }
}
