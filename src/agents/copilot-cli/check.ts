import path from "node:path";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { openJsonFile, valueAt } from "../../materialize/targets/json-file.ts";
import type { CheckRequest } from "../target.ts";

/** What keeps Copilot CLI from running the hook. A project can switch off the hooks of its users, by any of these files. */
export function checkCopilot({ root, file }: CheckRequest): Finding[] {
  const files = [
    file,
    ...[".github/copilot", ".claude"].flatMap((folder) => [
      path.join(root, folder, "settings.json"),
      path.join(root, folder, "settings.local.json"),
    ]),
  ];
  return files.flatMap(checkSwitch);
}

function checkSwitch(file: string): Finding[] {
  try {
    const { text } = openJsonFile({ root: path.parse(file).root, file });
    if (valueAt(text, ["disableAllHooks"]) !== true) return [];
    const message = "`disableAllHooks` keeps Copilot CLI from running the hook of drwn";
    return [
      {
        code: "hooks-disabled",
        severity: "error",
        subject: file,
        message,
        hint: `take disableAllHooks out of ${file}`,
      },
    ];
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [
      {
        code: "settings-unreadable",
        severity: "warning",
        subject: file,
        message: error.message,
        hint: `mend ${file}`,
      },
    ];
  }
}
