import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type Tree, temporaryFolder, writeTree } from "../../support/cards.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../../dist/systems/hooker.cjs");

export interface Heard {
  stdout: string;
  stderr: string;
  exitCode: number | null;
  /** What is in `hookSpecificOutput`; empty where nothing was printed. */
  answer: Record<string, unknown>;
}

export interface World {
  folder: string;
  /** Programs by their name, as text for /bin/sh; they are the only ones beside the system's. */
  program(name: string, text: string): void;
  /** Sends an event, or raw bytes, from the folder. */
  send(event: unknown, options?: { env?: Record<string, string>; cwd?: string }): Heard;
}

/** A folder with these files and a machine of its own around it. `policies.rb` stands for `.claude/policies.rb`. */
export function hookerWorld(files: Tree | string = {}): World {
  const base = temporaryFolder();
  const [folder, bin] = [path.join(base, "project"), path.join(base, "bin")];
  fs.mkdirSync(bin);
  fs.mkdirSync(folder);
  const tree = typeof files === "string" ? { "policies.rb": files } : files;
  writeTree(folder, Object.fromEntries(Object.entries(tree).map(([name, text]) => [inClaude(name), text])));
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: base, DRWN_HOME: path.join(base, "drwn") };
  return {
    folder,
    program(name, text) {
      fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    },
    send(event, options = {}) {
      const cwd = options.cwd ?? folder;
      const input =
        typeof event === "string" || event instanceof Uint8Array ? event : JSON.stringify({ cwd, ...Object(event) });
      const ran = spawnSync(process.execPath, [PROGRAM], {
        cwd: base,
        env: { ...env, ...options.env },
        input,
        encoding: "utf8",
      });
      const answer = ran.stdout.startsWith("{") ? JSON.parse(ran.stdout).hookSpecificOutput : {};
      return { stdout: ran.stdout, stderr: ran.stderr, exitCode: ran.status, answer };
    },
  };
}

function inClaude(name: string): string {
  return name.replace(/(?<=^|\/)policies\.rb$/u, ".claude/policies.rb");
}

export function bash(command: string): object {
  return { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
}

export function write(file_path: string, content = ""): object {
  return { hook_event_name: "PreToolUse", tool_name: "Write", tool_input: { file_path, content } };
}

export function prompt(text: string): object {
  return { hook_event_name: "UserPromptSubmit", prompt: text };
}

/** One policy that does this. */
export function policy(name: string, ...lines: string[]): string {
  return [`policy ${JSON.stringify(name)} do`, ...lines.map((line) => `  ${line}`), "end", ""].join("\n");
}
