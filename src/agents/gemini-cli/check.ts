import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { type Finding, isProblem } from "../../kernel/problem.ts";
import { isObject, openJsonFile, valueAt } from "../../wiring/json-file.ts";

/** The hook's name in Gemini CLI's lists. */
export const GEMINI_HOOK_NAME = "drwn";

/** Settings files; a later one overrides an earlier one. */
export type GeminiSettings = readonly {
  file: string;
  /** Whoever manages the machine decides what is in it, and its users cannot change it. */
  isManaged: boolean;
}[];

interface Read {
  file: string;
  isManaged: boolean;
  isEnabled: unknown;
  disabled: unknown;
  /** Why Gemini CLI runs no hook before a call, whatever other files say; null: nothing here keeps it from that. */
  fault: string | null;
}

/** Finds what in Gemini CLI's settings keeps the hook from running. */
export function checkGemini(settings: GeminiSettings, home: string, name = GEMINI_HOOK_NAME): Finding[] {
  const findings: Finding[] = [];
  const read = settings.flatMap((place): Read[] => {
    try {
      return [readSwitches(place)];
    } catch (error) {
      if (!isProblem(error)) throw error;
      findings.push(finding("settings-unreadable", place.file, error.message, `correct ${place.file}`));
      return [];
    }
  });
  // Gemini CLI takes more than booleans and lists, and replaces variables in texts: only what surely keeps hooks on counts.
  const decisive = read.findLast(({ isEnabled }) => isEnabled !== undefined);
  if (decisive !== undefined && decisive.isEnabled !== true) return [...findings, switchedOff(decisive)];
  findings.push(...read.flatMap(broken));
  return [...findings, ...read.filter(({ disabled }) => mayNameUs(disabled, namesUs(home, name))).map(leftOut)];
}

function readSwitches({ file, isManaged }: GeminiSettings[number]): Read {
  const { text } = openJsonFile({ root: path.parse(file).root, file, extras: "comments" });
  const config = valueAt(text, ["hooksConfig"]);
  // A `hooksConfig` of another kind may mean anything.
  const { enabled, disabled } = isObject(config) || config === undefined ? (config ?? {}) : { enabled: config };
  return { file, isManaged, isEnabled: enabled, disabled, fault: faultOf(valueAt(text, ["hooks"])) };
}

/** Gemini CLI lets a `hooks` of another kind replace all others, and fails at comparing a matcher of another kind. */
function faultOf(hooks: unknown): string | null {
  if (hooks === undefined) return null;
  if (!isObject(hooks)) return "`hooks` isn't an object and takes all hooks out, so Gemini CLI runs none";
  const groups = hooks["BeforeTool"];
  const isBad = Array.isArray(groups) && groups.some((group) => isObject(group) && isBadMatcher(group["matcher"]));
  return isBad
    ? "a group in `hooks.BeforeTool` has a `matcher` that isn't a text, so Gemini CLI runs no hook before a call"
    : null;
}

/** Gemini CLI takes `null`, `false`, `0` and an empty text for no matcher. */
function isBadMatcher(matcher: unknown): boolean {
  return Boolean(matcher) && typeof matcher !== "string";
}

function mayNameUs(disabled: unknown, isOurs: (name: string) => boolean): boolean {
  if (disabled === undefined) return false;
  return !Array.isArray(disabled) || disabled.some((name) => typeof name === "string" && isOurs(name));
}

function namesUs(home: string, ours: string): (name: string) => boolean {
  return (name) => name === ours || name.includes("$") || name.includes(layout.launcher(home));
}

const ASK_OWNER = "ask whoever manages this machine to allow it";

function switchedOff({ file, isManaged }: Read): Finding {
  const why = "`hooksConfig.enabled` is there and isn't `true`, so Gemini CLI may run no hook";
  if (isManaged) return finding("hooks-managed", file, why, ASK_OWNER);
  return finding("hooks-disabled", file, why, `take hooksConfig.enabled out of ${file}`);
}

function broken({ file, isManaged, fault }: Read): Finding[] {
  if (fault === null) return [];
  if (isManaged) return [finding("hooks-managed", file, fault, ASK_OWNER)];
  return [finding("hooks-disabled", file, fault, `correct ${file}`)];
}

function leftOut({ file, isManaged }: Read): Finding {
  const why = "`hooksConfig.disabled` names drwn's hook, or something that may mean it, so Gemini CLI doesn't run it";
  if (isManaged) return finding("hooks-managed", file, why, ASK_OWNER);
  return finding("hooks-disabled", file, why, `type /hooks enable ${GEMINI_HOOK_NAME} in gemini, or correct ${file}`);
}

function finding(code: string, subject: string, message: string, hint: string): Finding {
  return { code, severity: "error", subject, message, hint };
}
