import { spawn } from "node:child_process";
import type { Finding } from "../../kernel/finding.ts";
import { endGroup, isOnPath } from "../../kernel/program.ts";
import { traceProcess } from "../../kernel/trace.ts";

const PATIENCE_MS = 10_000;

/**
 * Since this version, a hook that dies or cannot be started blocks the call if its entry says `onFailure: "block"`. Since
 * 2.1.139 Claude Code knows `args`; an earlier one starts the launcher without its words, which asks about calls alone.
 */
const HONOURS_ON_FAILURE = [2, 1, 295] as const;

type Version = readonly [number, number, number];

/** The version that `claude --version` prints; undefined: it isn't on PATH, or prints no version in time. */
export function readClaudeVersion(
  env: Readonly<Record<string, string | undefined>>,
  patienceMs = PATIENCE_MS,
): Promise<Version | undefined> {
  // Failing to start a missing program costs as much as starting one.
  if (!isOnPath("claude", env["PATH"])) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const ended = traceProcess("claude", ["--version"]);
    const child = spawn("claude", ["--version"], {
      env: { ...env },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    let text = "";
    const finish = (version: Version | undefined): void => {
      // Node's own `timeout` would keep the process waiting if the program cannot even start.
      clearTimeout(timer);
      resolve(version);
    };
    // What a wrapper started could hold the output open after it.
    const timer = setTimeout(() => {
      endGroup(child.pid);
      child.stdout.destroy();
      finish(parseVersion(text));
    }, patienceMs);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(0, 1_000);
    });
    child.on("error", () => finish(undefined));
    child.on("close", (status) => {
      ended(status);
      finish(parseVersion(text));
    });
  });
}

function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})\b/u.exec(text.trim()) ?? [];
  return patch === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/** An older Claude Code doesn't start drwn's entry as it is meant. An unknown version counts as one that does. */
export function checkClaudeVersion(version: Version | undefined): Finding[] {
  if (version === undefined || !isBefore(version, HONOURS_ON_FAILURE)) return [];
  const message = `before ${HONOURS_ON_FAILURE.join(".")} Claude Code doesn't do what drwn's entry says (\`args\`, \`onFailure\`), and lets a call run if the hook cannot start`;
  const subject = `Claude Code ${version.join(".")}`;
  return [{ code: "agent-outdated", severity: "error", subject, message, hint: "run: claude update" }];
}

function isBefore(version: Version, limit: Version): boolean {
  for (const [at, part] of version.entries()) {
    const other = limit[at] ?? 0;
    if (part !== other) return part < other;
  }
  return false;
}
