import type { Finding } from "../../../kernel/finding.ts";
import { isProblem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import type { AgentContext } from "../../../wiring/target.ts";
import { readHooksFile } from "../read/hooks-file.ts";
import { loadPolytokenHooks } from "../read/load.ts";
import { globalHooksFile, polytokenProjectHooksFile } from "../read/paths.ts";

/** The name of drwn's entry for an event, in Polytoken's logs and for people who turn it off. */
export function entryName(event: string): string {
  return `${ENTRY_NAME}${event.replace(/[._]/gu, "-")}`;
}

const ENTRY_NAME = "drwn-";

/** Finds what in Polytoken's files keeps the hook from running. */
export function checkPolytoken({ host, root }: AgentContext): Finding[] {
  const projectFile = polytokenProjectHooksFile(root);
  try {
    // A file with any fault keeps Polytoken from starting.
    loadPolytokenHooks({ globalFile: globalHooksFile(host), projectFile });
    const entries = readHooksFile(projectFile)?.entries ?? [];
    return entries.flatMap(({ entry, line }) =>
      "off" in entry && entry.off.startsWith(ENTRY_NAME)
        ? [
            {
              code: "hooks-disabled",
              severity: "error" as const,
              subject: projectFile,
              message: `line ${line}: \`!${entry.off}\` keeps Polytoken from asking drwn in this project`,
              hint: `take that entry out of ${clean(projectFile)}`,
            },
          ]
        : [],
    );
  } catch (error) {
    if (!isProblem(error)) throw error;
    const { message, hint } = error;
    return [
      {
        code: "settings-unreadable",
        severity: "error",
        subject: "polytoken",
        message,
        hint: hint ?? "correct the file",
      },
    ];
  }
}
