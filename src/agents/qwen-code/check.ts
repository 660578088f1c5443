import fs from "node:fs";
import path from "node:path";
import { readBounded } from "../../kernel/format/read.ts";
import { type Finding, isProblem } from "../../kernel/problem.ts";
import { isObject, openJsonFile, valueAt } from "../../wiring/json-file.ts";
import { isHookCommand } from "../../wiring/launcher.ts";
import type { AgentContext, CheckRequest } from "../../wiring/target.ts";
import { qwenSystemFiles } from "./paths.ts";

/** Qwen Code starts without hooks if one of them is on. */
export const QWEN_MINIMAL: readonly string[] = ["QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE"];

type Env = AgentContext["host"]["env"];

/** Finds what in Qwen Code's settings and environment keeps the hook from running, or from being heeded. */
export function checkQwen({ host, root, file }: CheckRequest): Finding[] {
  const { settings, defaults } = qwenSystemFiles(host);
  const project = qwenProjectSettingsFile(root);
  const read = [defaults, file, project, settings].map((place) => readSettings(place));
  const decisive = read.findLast(({ disables }) => disables !== undefined);
  const isOff = decisive !== undefined && Boolean(decisive.disables);
  return [
    ...read.flatMap(({ findings }) => findings),
    ...(isOff ? [disabled(decisive.place, "`disableAllHooks` keeps Qwen Code from running any hook")] : []),
    ...read.filter(({ place, isSandboxed }) => isSandboxed && place !== project).map(sandboxed),
    // `check-variables.ts` has those of the project.
    ...read
      .filter(({ place }) => place === file || place !== project)
      .flatMap(({ place, env }) => checkMinimal(place, (name) => env[name])),
    ...checkMinimal("the environment", (name) => host.env[name]),
    ...[path.join(path.dirname(file), ".env"), path.join(host.home, ".env")].flatMap(checkEnvFile),
    // In the home folder these are the user's own settings.
    ...(project === file ? [] : checkGroups(project, host)),
    ...checkFrontmatter(root),
  ];
}

/** The setting with which Qwen Code runs no hook; null: it isn't in this file. */
export function qwenSwitch(file: string): string | null {
  return readSettings(file).disables ? "disableAllHooks" : null;
}

/** The project's settings, which everybody shares. */
export function qwenProjectSettingsFile(root: string): string {
  return path.join(root, ".qwen", "settings.json");
}

interface Read {
  place: string;
  findings: Finding[];
  disables?: unknown;
  isSandboxed?: boolean;
  env: Readonly<Record<string, unknown>>;
}

function readSettings(place: string): Read {
  try {
    const { text } = openJsonFile({ root: path.parse(place).root, file: place, extras: "comments" });
    const env = valueAt(text, ["env"]);
    return {
      place,
      findings: [],
      disables: valueAt(text, ["disableAllHooks"]),
      isSandboxed: valueAt(text, ["tools", "executionSandbox"]) !== undefined,
      env: isObject(env) ? env : {},
    };
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { place, findings: [finding("settings-unreadable", place, error.message, `correct ${place}`)], env: {} };
  }
}

function sandboxed({ place }: Read): Finding {
  return disabled(place, "with `tools.executionSandbox`, Qwen Code runs no hook");
}

function checkMinimal(place: string, read: (name: string) => unknown): Finding[] {
  return QWEN_MINIMAL.filter((name) => /^(?:1|true|yes|on)$/iu.test(String(read(name) ?? "").trim())).map((name) =>
    finding("hooks-disabled", place, `${name} makes Qwen Code start without any hooks`, `take ${name} out of ${place}`),
  );
}

/** The user's own file, from which Qwen Code also takes another folder for its settings. */
function checkEnvFile(file: string): Finding[] {
  const text = textOf(file);
  return [...QWEN_MINIMAL, "QWEN_HOME"]
    .filter((name) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*[=:]`, "mu").test(text))
    .map((name) => {
      const message = `because of ${name}, Qwen Code starts without any hooks, or with other settings`;
      return finding("hooks-disabled", file, message, `take ${name} out of ${file}`);
    });
}

function textOf(file: string): string {
  try {
    return readBounded(file)?.toString("utf8") ?? "";
  } catch (error) {
    // Too large, or not a regular file.
    if (isProblem(error) || error instanceof Error) return "";
    throw error;
  }
}

/**
 * What a repository's hooks before a call do to drwn's. Qwen Code asks them first, and asks none if it can't compare
 * or show one of them.
 */
function checkGroups(file: string, host: AgentContext["host"]): Finding[] {
  const groups = groupsIn(file);
  return groups.flatMap((group) => {
    if (!isObject(group)) return [];
    const handlers = (Array.isArray(group["hooks"]) ? group["hooks"] : []).filter(isObject);
    const faults = [
      ...(isText(group["matcher"]) ? [] : ["has a `matcher` that isn't a text: Qwen Code runs no hook"]),
      ...(group["sequential"] === true
        ? ["is `sequential`: it can show drwn's hook another call than the one that is made"]
        : []),
      ...(handlers.every(({ type, prompt }) => type !== "prompt" || isText(prompt))
        ? []
        : ["has a `prompt` that isn't a text: Qwen Code runs no hook"]),
      ...(handlers.some(({ command }) => isHookCommand(withVariables(command, host.env), host.drwnHome))
        ? ["has the command of drwn's hook, and Qwen Code runs it in the place of drwn's"]
        : []),
    ];
    return faults.map((fault) => disabled(file, `a group in \`hooks.PreToolUse\` ${fault}`));
  });
}

function groupsIn(file: string): unknown[] {
  try {
    const groups = valueAt(openJsonFile({ root: path.parse(file).root, file, extras: "comments" }).text, [
      "hooks",
      "PreToolUse",
    ]);
    return Array.isArray(groups) ? groups : [];
  } catch (error) {
    // The settings are unreadable, which is said already.
    if (isProblem(error)) return [];
    throw error;
  }
}

/** Qwen Code takes `null`, `false`, `0` and an empty text for none. */
function isText(value: unknown): boolean {
  return !value || typeof value === "string";
}

/** Qwen Code replaces variables in the texts of its settings. */
function withVariables(text: unknown, env: Env): string {
  return String(text).replaceAll(/\$(?:(\w+)|\{([^}]+)\})/gu, (all, plain, braced) => env[plain ?? braced] ?? all);
}

/** Subagents and skills of a repository bring hooks, too: from when they are used, and as those of its settings. */
function checkFrontmatter(root: string): Finding[] {
  const folder = path.join(root, ".qwen");
  const files = ["agents", "skills"].flatMap((kind) => markdownIn(path.join(folder, kind)));
  return files
    .filter((file) => /^---\r?\n(?:(?!---)[^\n]*\n)*?hooks\s*:/u.test(textOf(file)))
    .map((file) => ({
      code: "other-project-hook",
      severity: "warning" as const,
      subject: file,
      message:
        "has hooks of its own: while Qwen Code uses it, they can change what drwn's hook is asked or keep it out",
      hint: `read ${file}, and take its hooks out`,
    }));
}

function markdownIn(folder: string): string[] {
  try {
    return fs
      .readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => path.join(folder, name));
  } catch {
    // There is none, or Qwen Code can't read it, either.
    return [];
  }
}

function disabled(place: string, message: string): Finding {
  return finding("hooks-disabled", place, message, `correct ${place}`);
}

function finding(code: string, subject: string, message: string, hint: string): Finding {
  return { code, severity: "error", subject, message, hint };
}
