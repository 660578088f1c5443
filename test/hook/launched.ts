import fs from "node:fs";
import path from "node:path";
import { layout } from "../../src/contract/layout.ts";
import { type ArmedHome, hookNode, type LiteralPolicy, write } from "../support/armed-home.ts";

export const denying: LiteralPolicy = { policy: `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }` };

/** A call of a session that was started in the folder. */
export const from = (folder: string) => ({ cwd: folder, env: { CLAUDE_PROJECT_DIR: folder } });

/** In place of both: the program that answers everything, and the one that answers the tool calls of an agent. */
export function writePrograms({ home }: ArmedHome, text: string): void {
  for (const name of ["hook.cjs", "hook-calls.cjs"]) fs.writeFileSync(layout.hookProgram(home, name), text);
}

/** Puts a program of the shell in Node's place; its last word is Node itself. */
export function insteadOfNode(armed: ArmedHome, program: string): void {
  const node = path.join(armed.world, "node");
  write(node, `#!/bin/sh\n${program}\nexec '${hookNode().execPath}' "$@"\n`);
  fs.chmodSync(node, 0o755);
  const launcher = layout.launcher(armed.home);
  fs.writeFileSync(launcher, fs.readFileSync(launcher, "utf8").replace(hookNode().execPath, node));
}
