import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { openJsonFile, valueAt } from "../../materialize/targets/json-file.ts";
import type { CheckRequest } from "../target.ts";

/** What the machine's owner sets and its users cannot. Where a Mac keeps it was not tried. */
const MANAGED_SETTINGS = "/etc/github-copilot/managed-settings.json";

/** What keeps Copilot CLI from running the hook. A project can switch off the hooks of its users, by any of these files. */
export function checkCopilot({ root, file }: CheckRequest, managed = MANAGED_SETTINGS): Finding[] {
  const files = [
    file,
    ...[".github/copilot", ".claude"].flatMap((folder) => [
      path.join(root, folder, "settings.json"),
      path.join(root, folder, "settings.local.json"),
    ]),
  ];
  return [...files.flatMap((one) => checkFile(one, checkSwitch)), ...checkFile(managed, checkManaged)];
}

function checkFile(file: string, check: (file: string, text: string) => Finding[]): Finding[] {
  try {
    return check(file, openJsonFile({ root: path.parse(file).root, file }).text);
  } catch (error) {
    if (!isProblem(error)) throw error;
    const { message } = error;
    return [{ code: "settings-unreadable", severity: "warning", subject: file, message, hint: `mend ${file}` }];
  }
}

function checkSwitch(file: string, text: string): Finding[] {
  if (valueAt(text, ["disableAllHooks"]) !== true) return [];
  const message = "`disableAllHooks` keeps Copilot CLI from running the hook of drwn";
  const hint = `take disableAllHooks out of ${file}`;
  return [{ code: "hooks-disabled", severity: "error", subject: file, message, hint }];
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
