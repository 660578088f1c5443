import { createHash } from "node:crypto";
import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { isObject, openJsonFile, valueAt } from "../../wiring/json-file.ts";
import type { CheckRequest } from "../../wiring/target.ts";

/** Settings of the machine's owner that users cannot change. Nobody has tried where a Mac keeps them. */
const MANAGED_SETTINGS = "/etc/github-copilot/managed-settings.json";

/**
 * Finds what keeps Copilot CLI from running the hook. A project can switch off its users' hooks with any of these
 * files.
 */
export function checkCopilot({ root, file }: CheckRequest, managed = MANAGED_SETTINGS): Finding[] {
  const files = [
    file,
    ...[".github/copilot", ".claude"].flatMap((folder) => [
      path.join(root, folder, "settings.json"),
      path.join(root, folder, "settings.local.json"),
    ]),
  ];
  const settings = path.join(path.dirname(file), "..", "settings.json");
  return [
    ...files.flatMap((one) => checkFile(one, checkSwitch)),
    ...checkFile(settings, (_, text) => checkDisabled(settings, text, file)),
    ...checkFile(managed, checkManaged),
  ];
}

function checkFile(file: string, check: (file: string, text: string) => Finding[]): Finding[] {
  try {
    return check(file, openJsonFile({ root: path.parse(file).root, file }).text);
  } catch (error) {
    if (!isProblem(error)) throw error;
    const { message } = error;
    return [{ code: "settings-unreadable", severity: "error", subject: file, message, hint: `correct ${file}` }];
  }
}

function checkSwitch(file: string, text: string): Finding[] {
  if (valueAt(text, ["disableAllHooks"]) !== true) return [];
  const message = "`disableAllHooks` keeps Copilot CLI from running drwn's hook";
  const hint = `take disableAllHooks out of ${file}`;
  return [{ code: "hooks-disabled", severity: "error", subject: file, message, hint }];
}

/**
 * Finds hooks that somebody turned off one by one. Copilot CLI remembers their content, so any change to an entry turns
 * it on again.
 */
function checkDisabled(settings: string, text: string, file: string): Finding[] {
  const disabled = valueAt(text, ["disabledHooks"]);
  if (!Array.isArray(disabled)) return [];
  return checkFile(file, (_, entries) => {
    const off = handlersIn(entries).filter(([event, handler]) => disabled.includes(disableKey(event, handler)));
    return off.map(([event]) => ({
      code: "hooks-disabled",
      severity: "error",
      subject: settings,
      message: `\`disabledHooks\` keeps Copilot CLI from running drwn's hook (${event})`,
      hint: `turn it on again in Copilot CLI, or take disabledHooks out of ${settings}`,
    }));
  });
}

function handlersIn(text: string): [event: string, handler: Record<string, unknown>][] {
  const hooks = valueAt(text, ["hooks"]);
  if (!isObject(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, handlers]) =>
    (Array.isArray(handlers) ? handlers : []).flatMap((one) => (isObject(one) ? [[event, one] as const] : [])),
  ) as [string, Record<string, unknown>][];
}

/** The key that Copilot CLI 1.0.102 computes, whatever the order of the fields in the file. */
function disableKey(event: string, { type, bash, timeoutSec, matcher }: Record<string, unknown>): string {
  return createHash("sha256")
    .update(`${event}\0${JSON.stringify({ type, bash, timeoutSec, matcher })}`)
    .digest("hex");
}

const LOCK = "strictPluginOnlyCustomization";

function checkManaged(file: string, text: string): Finding[] {
  const locked = valueAt(text, [LOCK]);
  const said = [
    ...(valueAt(text, ["allowManagedHooksOnly"]) === true ? ["allowManagedHooksOnly"] : []),
    ...(locked === true || (Array.isArray(locked) && locked.includes("hooks")) ? [LOCK] : []),
  ];
  return said.map((name) => ({
    code: "hooks-managed",
    severity: "error",
    subject: file,
    message: `the settings that manage this machine: \`${name}\` keeps Copilot CLI from running hooks of users and projects`,
    hint: "ask whoever manages this machine to allow it",
  }));
}
