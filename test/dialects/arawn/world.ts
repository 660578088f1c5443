import fs from "node:fs";
import path from "node:path";
import type { LoadedArawnHooks } from "../../../src/dialects/arawn/hook/hook.ts";
import { loadPlugin } from "../../../src/dialects/arawn/read/load.ts";
import { ArawnDispatcher } from "../../../src/dialects/arawn/run/dispatcher.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

export interface Plugin extends LoadedArawnHooks {
  folder: string;
  dispatcher: ArawnDispatcher;
  /** What was noted because it blocks nothing. */
  notes: string[];
}

interface PluginOptions {
  folder?: string;
  onError?: "allow" | "deny";
  env?: Record<string, string>;
  sessionId?: string;
  /** Instead of the ten seconds of a real one. */
  timeoutMs?: number;
}

/** A plugin in a folder of its own: files by name, where a text that begins with `#!` can be run. */
export function pluginOf(files: Record<string, string>, options: PluginOptions = {}): Plugin {
  const { folder = temporaryFolder(), timeoutMs, env = {}, ...rest } = options;
  writeTree(folder, files);
  for (const [name, text] of Object.entries(files)) {
    if (text.startsWith("#!")) fs.chmodSync(path.join(folder, name), 0o755);
  }
  const { hooks, faults } = loadPlugin(folder);
  const notes: string[] = [];
  const dispatcher = new ArawnDispatcher({
    hooks: timeoutMs === undefined ? hooks : hooks.map((hook) => ({ ...hook, timeoutMs })),
    faults,
    env: { PATH: process.env["PATH"], ...env },
    onNote: (note) => notes.push(note),
    ...rest,
  });
  return { folder, hooks, faults, dispatcher, notes };
}

/** One `[[hooks]]` for each of these, with `./<number>.sh` as its command. */
export function pluginWith(
  hooks: { event?: string; script: string; toml?: string }[],
  options: PluginOptions = {},
): Plugin {
  const entries = hooks.map(({ event = "PreToolUse", toml = "" }, at) =>
    ["[[hooks]]", `event = "${event}"`, `command = "./${at}.sh"`, toml].join("\n"),
  );
  const scripts = hooks.map(({ script }, at) => [`${at}.sh`, bash(script)] as const);
  return pluginOf({ "plugin.toml": `${entries.join("\n")}\n`, ...Object.fromEntries(scripts) }, options);
}

export function bash(script: string): string {
  return `#!/usr/bin/env bash\n${script}\n`;
}

export const SHELL_CALL = { tool: "shell", params: { command: "git commit -m x", cwd: "/" } };

/** The text of a file that a hook wrote beside itself; "" when there is none. */
export function written({ folder }: Plugin, name: string): string {
  const file = path.join(folder, name);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
}
