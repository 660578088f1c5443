import fs from "node:fs";
import { layout } from "../../src/contract/layout.ts";
import type { ArmedHome, LiteralPolicy } from "../support/armed-home.ts";

export const denying: LiteralPolicy = { policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }` };

/** A call of a session that was started in the folder. */
export const from = (folder: string) => ({ cwd: folder, env: { CLAUDE_PROJECT_DIR: folder } });

/** In place of both: the program that answers everything, and the one that answers the tool calls of an agent. */
export function writePrograms({ home }: ArmedHome, text: string): void {
  for (const name of ["hook.cjs", "hook-claude-code.cjs"]) fs.writeFileSync(layout.hookProgram(home, name), text);
}
