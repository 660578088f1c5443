import path from "node:path";
import { type CliRun, runWords } from "./cli.ts";

/** Where somebody types a command: everything in the environment is what they have. */
export interface CallerContext {
  cwd: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs the words after `drwn` on a line as the program does, in this process: it takes a tenth of the time. Undefined:
 * they name no command, so only the program itself answers.
 */
export async function runHere(
  { cwd, home, env }: CallerContext,
  words: readonly string[],
): Promise<CliRun | undefined> {
  const before = { ...process.env };
  setEnvironment(env);
  try {
    const drwnHome = env["DRWN_HOME"] ?? path.join(home, ".agents", "drwn");
    return await runWords({ cwd, home, drwnHome, env }, words);
  } finally {
    setEnvironment(before);
  }
}

/** It alone: nothing of the machine leads out of the throw-away home. */
function setEnvironment(wanted: CallerContext["env"]): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) process.env[name] = value;
}
