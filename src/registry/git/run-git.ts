import type { Environment } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { cleanLines } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";
import { isHelperForAll, refuseDefaultLogin, type TryGit } from "./credentials.ts";

/** One bare repository of ours, and git to work in it. */
export interface Git {
  /** What git prints. */
  run(args: readonly string[], options?: { input?: string }): Promise<Buffer>;
}

interface GitSettings {
  /** Holds objects only: it has no work tree, hooks or settings of anybody else. */
  gitDir: string;
  env: Environment;
  /** The address of the repository, as `https://…`, `ssh://…` or `file://…`: no other transport is used. */
  repository: string;
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

/** Beside the usual ones, for one repository. */
interface Manners {
  env?: Environment;
  settings?: readonly string[];
}

type Start = (args: readonly string[], more?: Manners & { input?: string }) => Promise<Buffer>;

/** Lends nothing of the user's to the host: neither the agent with their keys, nor their screen, tickets or ports. */
const LENDING_NOTHING = "ssh -a -x -k -o ClearAllForwardings=yes";

/**
 * Runs the real git, with nothing that an address, a repository or the environment could have it start: only the transport
 * of the address, no hooks, no submodules, no work tree, no questions.
 */
export function openGit({ gitDir, env, repository, deadlineMs = DEADLINE_MS }: GitSettings): Git {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name)));
  const url = new URL(repository);
  let manners: Promise<Manners> | undefined;
  const run: Git["run"] = async (args, options) => {
    manners ??= mannersFor(url, kept, start);
    const more = await manners;
    try {
      return await start(args, { ...options, ...more });
    } catch (error) {
      throw more.settings !== undefined && isGitFailure(error) ? withoutHelper(error, url) : error;
    }
  };
  const start: Start = async (args, { input, settings = [], env: more = {} } = {}) => {
    const { execa } = await import("execa");
    const all = [...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]);
    const ended = traceProcess("git", args);
    const result = await execa("git", [...all, `--git-dir=${gitDir}`, ...args], {
      cwd: gitDir,
      env: {
        ...kept,
        LC_ALL: "C",
        GIT_ALLOW_PROTOCOL: url.protocol.slice(0, -1),
        // Nobody is asked for a password: not at the terminal, by no program of the user's, and by no helper's window.
        GIT_TERMINAL_PROMPT: "0",
        GIT_ASKPASS: "",
        GCM_INTERACTIVE: "never",
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

async function mannersFor(repository: URL, { HOME }: Environment, start: Start): Promise<Manners> {
  const tryGit: TryGit = async (...asked) => {
    try {
      return (await start(...asked)).toString("utf8");
    } catch (error) {
      if (isGitFailure(error)) return undefined;
      throw error;
    }
  };
  switch (repository.protocol) {
    case "ssh:":
      // Where the user's settings name an ssh of their own, it is theirs to say what it lends.
      return (await tryGit(["config", "--get", "core.sshCommand"])) === undefined
        ? { env: { GIT_SSH_COMMAND: LENDING_NOTHING } }
        : {};
    case "https:":
      refuseDefaultLogin(repository, HOME);
      return (await isHelperForAll(repository, tryGit)) ? { settings: ["credential.helper="] } : {};
    default:
      return {};
  }
}

function withoutHelper({ code, message, details }: Problem, { origin }: URL): Problem {
  return new Problem(code, message, {
    details: [
      ...details,
      "your credential helper answers for every host, so it was not asked for one that a project may have named",
    ],
    hint: `if your credentials are for it: git config --global credential.${origin}.helper <your helper>`,
  });
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
