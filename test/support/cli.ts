// esbuild starts its process in the folder in which it is loaded. That must not be a test's folder, which is gone when
// the next test compiles.
import "esbuild";
import { Config } from "@oclif/core/config";
import { vi } from "vitest";
import type { DrwnCommand } from "../../src/cli/command.ts";
import { findCommand, readNames } from "../../src/cli/names/names.ts";
import { output } from "../../src/cli/terminal/console.ts";
import { AGENT_MARKERS } from "../../src/kernel/agent-session.ts";
import { temporaryFolder } from "./cards.ts";
import type { TestHost } from "./host.ts";

export interface CliRun {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** The machine and the folder on which a command runs. */
export type Place = Pick<TestHost, "cwd" | "drwnHome" | "env" | "home">;

export type CommandClass = new (argv: string[], config: Config) => DrwnCommand;

/** The program around the command: it has a name and no other commands to look for. */
function loadProgram(): Promise<Config> {
  const pjson = { name: "darwinian-minds", version: "0.0.0", oclif: { bin: "drwn", topicSeparator: " " as const } };
  return Config.load({ root: temporaryFolder(), pjson });
}

/**
 * Runs one command as the program does, on the test's machine and in its project, and returns everything that a user
 * gets.
 */
export async function runCommand(host: Place, Command: CommandClass, ...argv: string[]): Promise<CliRun> {
  const written = { stdout: "", stderr: "" };
  const spy = vi.spyOn(output, "write").mockImplementation((fd, text) => {
    written[fd === 1 ? "stdout" : "stderr"] += text;
  });
  const [cwd, formerCode] = [process.cwd(), process.exitCode];
  vi.stubEnv("HOME", host.home);
  vi.stubEnv("DRWN_HOME", host.drwnHome);
  for (const name of ["CLAUDE_CONFIG_DIR", "CI"]) vi.stubEnv(name, host.env[name]);
  // These tests are a person's commands, even if an agent runs them.
  for (const marker of AGENT_MARKERS) vi.stubEnv(marker, host.env[marker]);
  process.chdir(host.cwd);
  process.exitCode = 0;
  try {
    await runToEnd(new Command(argv, await loadProgram()));
    return { ...written, exitCode: Number(process.exitCode) };
  } finally {
    process.exitCode = formerCode;
    process.chdir(cwd);
    vi.unstubAllEnvs();
    spy.mockRestore();
  }
}

/**
 * The same for the words after `drwn` on a line; undefined: they name no command, so the program would show its help.
 */
export async function runWords(host: Place, words: readonly string[]): Promise<CliRun | undefined> {
  const found = findCommand(words, readNames());
  if (found === undefined) return undefined;
  const file = `../../src/cli/commands/${found.id.replaceAll(":", "/")}.ts`;
  const { default: Command } = (await import(file)) as { default: CommandClass & { id: string } };
  Command.id = found.id;
  return await runCommand(host, Command, ...found.argv);
}

/** oclif's own entry: it parses, runs, and hands what is thrown to the command. */
async function runToEnd(command: DrwnCommand): Promise<void> {
  await (command as unknown as { _run(): Promise<unknown> })._run();
}
