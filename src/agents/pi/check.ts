import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readBounded } from "../../kernel/format/read.ts";
import { type Finding, isProblem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { pathsIn } from "../../wiring/entries/other-hooks.ts";
import { isInside } from "../../wiring/file-location.ts";
import { isObject, openJsonFile, valueAt } from "../../wiring/json-file.ts";
import type { AgentContext, CheckRequest } from "../../wiring/target.ts";

/** Finds what in the user's folder keeps Pi from loading drwn's extension: measured with 1.6.0. */
export function checkPi({ host, file }: CheckRequest): Finding[] {
  const folder = path.dirname(file);
  const base = path.dirname(folder);
  const settings = path.join(base, "settings.json");
  const { fault, extensions, packages } = readSettings(settings);
  if (fault !== undefined) return [fault];
  const excluded = extensions.filter((entry) => isExcluded(entry, { file, base, home: host.home }));
  const isTaken = [...extensions, ...packages].some((entry) => reaches(entry, { file, base, home: host.home }));
  return [
    ...excluded.map((entry) => keptOut(settings, `\`${clean(entry, 200)}\` in \`extensions\``)),
    ...(isTaken ? [keptOut(settings, "a path in `extensions` or `packages` that leads to drwn's extension")] : []),
    ...MANIFESTS.map((name) => path.join(folder, name))
      .filter(decidesForAll)
      .map((one) => keptOut(one, `${path.basename(one)}, which is all that Pi loads from this folder,`)),
    ...IGNORES.map((name) => path.join(folder, name))
      .filter((one) => linesOf(one).some((line) => isIgnored(line, path.basename(file))))
      .map((one) => keptOut(one, `a line of ${path.basename(one)}`)),
  ];
}

/**
 * What a repository's `.pi` does to the guard once a person trusts the folder: Pi loads a file once, and asks the
 * project first whether it is loaded; and an extension can replace a tool, or change a call that was allowed.
 */
export function checkPiProject({ host, root }: AgentContext, file: string): Finding[] {
  const folder = path.join(root, ".pi");
  // In the home folder these are the user's own.
  if (isInside(folder, file)) return [];
  const settings = path.join(folder, "settings.json");
  const { fault, extensions, packages, shell } = readSettings(settings);
  if (fault !== undefined) return [fault];
  const files = extensionsIn(path.join(folder, "extensions"));
  const from = { file, base: folder, home: host.home };
  const isTaken = [...extensions, ...packages, ...files].some((entry) => reaches(entry, from));
  const loads = [...extensions, ...packages].filter((entry) => !/^(?:[-!]|\+?builtin:)/u.test(entry));
  return [
    ...(isTaken ? [keptOut(settings, "a path of the project that leads to drwn's extension")] : []),
    ...files.map((one) => beside(one, `Pi loads this extension of the project: ${CAN}`)),
    ...loads.map((one) => beside(settings, `Pi loads \`${clean(one, 200)}\` for the project: ${CAN}`)),
    ...shell.map((name) => beside(settings, `\`${name}\` runs with each command after the guards have allowed it`)),
  ];
}

const CAN = "it can replace a tool, or change a call after the guards have allowed it";

/** If one of them names extensions, Pi loads no others from the folder. */
const MANIFESTS = ["package.json", "index.ts", "index.js"];
const IGNORES = [".gitignore", ".ignore", ".fdignore"];

function decidesForAll(file: string): boolean {
  if (!fs.existsSync(file)) return false;
  if (!file.endsWith(".json")) return true;
  const listed = readJson(file, ["pi", "extensions"]);
  return Array.isArray(listed) && listed.length > 0;
}

interface Settings {
  fault?: Finding;
  extensions: string[];
  /** Where they come from. */
  packages: string[];
  /** The settings that decide how a command is run. */
  shell: string[];
}

function readSettings(file: string): Settings {
  const none = { extensions: [], packages: [], shell: [] };
  try {
    const { text } = openJsonFile({ root: path.parse(file).root, file });
    const [extensions, packages] = ["extensions", "packages"].map((name) => {
      const list = valueAt(text, [name]);
      const entries: unknown[] = Array.isArray(list) ? list : [];
      return entries
        .map((entry) => (isObject(entry) ? entry["source"] : entry))
        .filter((one) => typeof one === "string");
    });
    const shell = ["shellCommandPrefix", "shellPath"].filter((name) => valueAt(text, [name]) !== undefined);
    return { extensions: extensions ?? [], packages: packages ?? [], shell };
  } catch (error) {
    if (!isProblem(error)) throw error;
    const hint = `correct ${file}`;
    return {
      ...none,
      fault: { code: "settings-unreadable", severity: "error", subject: file, message: error.message, hint },
    };
  }
}

function readJson(file: string, at: readonly string[]): unknown {
  try {
    return valueAt(openJsonFile({ root: path.parse(file).root, file }).text, at);
  } catch (error) {
    // Pi can't read it, either.
    if (isProblem(error)) return undefined;
    throw error;
  }
}

interface From {
  file: string;
  /** The folder of the settings. */
  base: string;
  home: string;
}

/** Whether this path is drwn's extension or a folder around it, whatever links lead there. */
function reaches(entry: string, { file, base, home }: From): boolean {
  if (/^[-!+]/u.test(entry)) return false;
  const [real, own] = [resolvePath(entry, { base, home }), file].map(realPath);
  return real !== undefined && own !== undefined && (real === own || isInside(real, own));
}

/** `-path` names a file, and `!pattern` any number of them. */
function isExcluded(entry: string, { file, base, home }: From): boolean {
  const pattern = path.normalize(expand(entry.slice(1), home));
  const names = [path.relative(base, file), file];
  if (entry.startsWith("-"))
    return names.some((name) => name === pattern || name === resolvePath(pattern, { base, home }));
  return entry.startsWith("!") && [...names, path.basename(file)].some((name) => mayMatch(pattern, name));
}

function isIgnored(line: string, name: string): boolean {
  const pattern = line.trim();
  return pattern !== "" && !/^[#!]|\/$/u.test(pattern) && mayMatch(pattern.replace(/^\//u, ""), name);
}

/** Whether a glob may match this name. What isn't a star or a question mark may mean anything. */
function mayMatch(pattern: string, name: string): boolean {
  if (/[[\]{}()!+@|\\]/u.test(pattern)) return true;
  const source = pattern
    .replaceAll(/[.^$]/gu, "\\$&")
    .replaceAll(/\*\*\/|\*+|\?/gu, (glob) =>
      glob === "**/" ? "(?:.*/)?" : glob === "**" ? ".*" : glob === "?" ? "[^/]" : "[^/]*",
    );
  return new RegExp(`^${source}$`, "u").test(name);
}

function resolvePath(written: string, { base, home }: Pick<From, "base" | "home">): string {
  return path.resolve(base, expand(written, home));
}

/** A path or a pattern, as Pi reads it. */
function expand(written: string, home: string): string {
  if (!written.startsWith("file://")) return written.replace(/^~(?=\/|$)/u, home);
  try {
    return fileURLToPath(written);
  } catch {
    return written;
  }
}

function realPath(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch {
    // It isn't there.
    return undefined;
  }
}

/** Files, and folders with an `index` or a `package.json`. */
function extensionsIn(folder: string): string[] {
  return pathsIn(folder).filter(
    (file) => /\.[jt]s$/u.test(file) || MANIFESTS.some((name) => fs.existsSync(path.join(file, name))),
  );
}

function linesOf(file: string): string[] {
  try {
    return readBounded(file)?.toString("utf8").split("\n") ?? [];
  } catch (error) {
    // Too large, or not a regular file.
    if (isProblem(error) || error instanceof Error) return [];
    throw error;
  }
}

function keptOut(subject: string, what: string): Finding {
  const message = `${what} keeps Pi from loading drwn's extension`;
  return { code: "hooks-disabled", severity: "error", subject, message, hint: `take it out of ${subject}` };
}

function beside(subject: string, message: string): Finding {
  return {
    code: "other-plugin",
    severity: "warning",
    subject,
    message,
    hint: `read ${subject}, and take out what isn't yours`,
  };
}
