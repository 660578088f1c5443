import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { openJsonFile, valueAt } from "../../materialize/targets/json-file.ts";

/** What the hook is called in lists of Gemini CLI. */
export const HOOK_NAME = "drwn";

/** What in the settings of Gemini CLI keeps the hook from running. */
export function checkGemini(files: readonly string[], home: string): Finding[] {
  return files.flatMap((file) => {
    try {
      const { text } = openJsonFile({ root: path.parse(file).root, file });
      return checkSwitches(file, text, home);
    } catch (error) {
      if (!isProblem(error)) throw error;
      return [finding("settings-unreadable", file, error.message, `mend ${file}`)];
    }
  });
}

function checkSwitches(file: string, text: string, home: string): Finding[] {
  const disabled = valueAt(text, ["hooksConfig", "disabled"]);
  const isNamed = (name: unknown): boolean =>
    name === HOOK_NAME || (typeof name === "string" && name.includes("drwn_hook=") && name.includes(home));
  if (valueAt(text, ["hooksConfig", "enabled"]) === false) {
    const why = "`hooksConfig.enabled` keeps Gemini CLI from running any hook";
    return [finding("hooks-disabled", file, why, `take hooksConfig.enabled out of ${file}`)];
  }
  if (!Array.isArray(disabled) || !disabled.some(isNamed)) return [];
  const why = "`hooksConfig.disabled` keeps Gemini CLI from running the hook of drwn";
  return [finding("hooks-disabled", file, why, `type /hooks enable ${HOOK_NAME} in gemini, or mend ${file}`)];
}

function finding(code: string, subject: string, message: string, hint: string): Finding {
  return { code, severity: "error", subject, message, hint };
}
