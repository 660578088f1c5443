import type { Environment } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { cleanLines } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";

/** One bare repository of ours, and git to work in it. */
export interface Git {
  /** What git prints. */
  run(args: readonly string[], options?: { input?: string }): Promise<Buffer>;
}

interface GitSettings {
  /** Holds objects only: it has no work tree, hooks or settings of anybody else. */
  gitDir: string;
  env: Environment;
  /** The transports that the address needs, and no other. */
  protocols: readonly ("https" | "ssh" | "file")[];
  deadlineMs?: number;
}

const DEADLINE_MS = 180_000;
const MAXIMUM_OUTPUT = 320 * 1024 * 1024;

/** Kept from the user's environment: how to reach the network and their credentials. No GIT_ variable is among them. */
const KEPT =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|XDG_CONFIG_HOME|XDG_RUNTIME_DIR|SSH_AUTH_SOCK|SSH_AGENT_PID|(?:https?|all|no)_proxy)$/iu;

const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "protocol.ext.allow=never",
  "fetch.recurseSubmodules=false",
  "fetch.fsckObjects=true",
  "transfer.bundleURI=false",
  "gc.auto=0",
  "maintenance.auto=false",
  // What the user's settings send to every host, perhaps a token. What they name a host for is still sent there.
  "http.extraHeader=",
];

/** Lends nothing of the user's to the host: neither the agent with their keys, nor their screen, tickets or ports. */
const LENDING_NOTHING = "ssh -a -x -k -o ClearAllForwardings=yes";

/**
 * Runs the real git, with nothing that an address, a repository or the environment could have it start: only the named
 * transports, no hooks, no submodules, no work tree, no questions at the terminal.
 */
export function openGit({ gitDir, env, protocols, deadlineMs = DEADLINE_MS }: GitSettings): Git {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name)));
  let ssh: Promise<Environment> | undefined;
  const run: Git["run"] = async (args, options) => {
    ssh = ssh ?? sshFor(protocols, start);
    return start(args, options, await ssh);
  };
  const start = async (args: readonly string[], { input }: { input?: string } = {}, more: Environment = {}) => {
    const { execa } = await import("execa");
    const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
    const ended = traceProcess("git", args);
    const result = await execa("git", [...settings, `--git-dir=${gitDir}`, ...args], {
      cwd: gitDir,
      env: {
        ...kept,
        LC_ALL: "C",
        GIT_ALLOW_PROTOCOL: protocols.join(":"),
        GIT_TERMINAL_PROMPT: "0",
        // ssh asks at the terminal by itself, past git: here it is to ask a program that never answers.
        SSH_ASKPASS: "false",
        SSH_ASKPASS_REQUIRE: "force",
        GIT_NO_LAZY_FETCH: "1",
        GIT_NO_REPLACE_OBJECTS: "1",
        ...more,
      },
      extendEnv: false,
      encoding: "buffer",
      maxBuffer: MAXIMUM_OUTPUT,
      timeout: deadlineMs,
      forceKillAfterDelay: 1_000,
      reject: false,
      stripFinalNewline: false,
      ...(input === undefined ? { stdin: "ignore" as const } : { input }),
    });
    ended(result.exitCode ?? null);
    if (!result.failed) return Buffer.from(result.stdout);
    throw describeFailure({
      command: args[0] ?? "",
      why: result.timedOut
        ? `no answer within ${deadlineMs} ms`
        : result.code === "ENOENT"
          ? "git is not installed"
          : "",
      said: Buffer.from(result.stderr).toString("utf8"),
    });
  };
  return { run };
}

/** Where the user's settings name an ssh of their own, it is theirs to say what it lends. */
async function sshFor(protocols: GitSettings["protocols"], start: Git["run"]): Promise<Environment> {
  if (!protocols.includes("ssh")) return {};
  try {
    await start(["config", "--get", "core.sshCommand"]);
    return {};
  } catch (error) {
    if (isGitFailure(error)) return { GIT_SSH_COMMAND: LENDING_NOTHING };
    throw error;
  }
}

export function isGitFailure(error: unknown): error is Problem {
  return isProblem(error) && error.code === "DRWN_GIT_FAILED";
}

function describeFailure({ command, why, said }: { command: string; why: string; said: string }): Problem {
  // git repeats addresses, and a helper of the user's may have put credentials into one.
  const hidden = said.replace(/\/\/[^/@\s]*@/gu, "//");
  const lines = cleanLines(hidden.trim(), 6).filter((line) => line !== "");
  return new Problem("DRWN_GIT_FAILED", `git ${command} failed${why === "" ? "" : `: ${why}`}`, { details: lines });
}
