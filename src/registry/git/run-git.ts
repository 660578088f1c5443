import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { readIfThere } from "../../kernel/files.ts";
import type { Environment } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { cleanLines } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";
import { isBelow } from "../http/url.ts";

/** git, working in one bare repository of ours. */
export interface Git {
  /** Answers with what git prints. */
  run(args: readonly string[], options?: { input?: string }): Promise<Buffer>;
}

interface GitSettings {
  /** Holds only objects: no work tree, and no hooks or settings of anybody else. */
  gitDir: string;
  env: Environment;
  /** The address of the repository, as `https://…`, `ssh://…` or `file://…`: no other transport is used. */
  repository: string;
  deadlineMs?: number;
}

const DEADLINE_MS = 180_000;
const MAXIMUM_OUTPUT = 320 * 1024 * 1024;
/** Of what git says about its failure: a host may send it a line that is too long for our regular expressions. */
const READ_BYTES = 1024 * 1024;

/** The user's variables that git gets: how to reach the network and their credentials, but no GIT_ variable. */
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
  // The user's settings may send headers to every host, perhaps with a token. Those for a named host still go there.
  "http.extraHeader=",
];

/** Variables and settings for one repository, besides the usual ones. */
interface GitOverrides {
  env?: Environment;
  settings?: readonly string[];
}

type Start = (args: readonly string[], more?: GitOverrides & { input?: string }) => Promise<Buffer>;

/** Forwards nothing of the user's to the host: not the agent with their keys, nor their screen, tickets or ports. */
const LENDING_NOTHING = "ssh -a -x -k -o ClearAllForwardings=yes";

/**
 * Runs the real git so that no address, repository or environment can make it start anything: it uses only the
 * transport of the address, and no hooks, submodules, work tree or questions.
 */
export function openGit({ gitDir, env, repository, deadlineMs = DEADLINE_MS }: GitSettings): Git {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name)));
  const url = new URL(repository);
  let manners: Promise<GitOverrides> | undefined;
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
    const all = [...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]);
    const ended = traceProcess("git", args);
    const result = await runToEnd([...all, `--git-dir=${gitDir}`, ...args], {
      cwd: gitDir,
      env: {
        ...kept,
        LC_ALL: "C",
        GIT_ALLOW_PROTOCOL: url.protocol.slice(0, -1),
        // git must ask nobody for a password: not at the terminal, not through a program of the user's, and not in a
        // helper's window.
        GIT_TERMINAL_PROMPT: "0",
        GIT_ASKPASS: "",
        GCM_INTERACTIVE: "never",
        // ssh would ask at the terminal itself, past git: this makes it ask a program that never answers.
        SSH_ASKPASS: "false",
        SSH_ASKPASS_REQUIRE: "force",
        GIT_NO_LAZY_FETCH: "1",
        GIT_NO_REPLACE_OBJECTS: "1",
        ...more,
      },
      deadlineMs,
      input,
    });
    ended(result.status);
    if (result.why === null) return result.stdout;
    const said = result.stderr.toString("utf8", 0, READ_BYTES);
    throw describeFailure({ command: args[0] ?? "", why: result.why, said });
  };
  return { run };
}

interface GitEnd {
  status: number | null;
  stdout: Buffer;
  stderr: Buffer;
  /** Null: it did what it should; empty: git itself says why it didn't. */
  why: string | null;
}

const PATIENCE_MS = 1_000;

function runToEnd(
  args: readonly string[],
  {
    cwd,
    env,
    deadlineMs,
    input = "",
  }: { cwd: string; env: Environment; deadlineMs: number; input?: string | undefined },
): Promise<GitEnd> {
  return new Promise((resolve) => {
    let isLate = false;
    const options = { cwd, env, encoding: "buffer", maxBuffer: MAXIMUM_OUTPUT } as const;
    const git = execFile("git", args, options, (error, stdout, stderr) => {
      for (const timer of timers) clearTimeout(timer);
      process.removeListener("exit", kill);
      const status = git.exitCode;
      if (error === null) resolve({ status, stdout, stderr, why: null });
      else if (isLate) resolve({ status, stdout, stderr, why: `no answer within ${deadlineMs} ms` });
      else resolve({ status, stdout, stderr, why: error.code === "ENOENT" ? "git is not installed" : "" });
    });
    // What git has started may outlive it, and keep its outputs open.
    const kill = () => {
      git.kill("SIGKILL");
      git.stdout?.destroy();
      git.stderr?.destroy();
    };
    const end = () => {
      isLate = true;
      git.kill();
    };
    const timers = [setTimeout(end, deadlineMs), setTimeout(kill, deadlineMs + PATIENCE_MS)];
    process.once("exit", kill);
    // git may end without reading all of it.
    git.stdin?.on("error", () => {}).end(input);
  });
}

async function mannersFor(repository: URL, { HOME }: Environment, start: Start): Promise<GitOverrides> {
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
      // If the user's settings name their own ssh command, the user decides what it forwards.
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
      "your credential helper answers for every host, so drwn did not ask it about one that a project may have named",
    ],
    hint: `if your credentials are for it: git config --global credential.${origin}.helper <your helper>`,
  });
}

export function isGitFailure(error: unknown): error is Problem {
  return isProblem(error) && error.code === "DRWN_GIT_FAILED";
}

function describeFailure({ command, why, said }: { command: string; why: string; said: string }): Problem {
  // git repeats addresses, and one of the user's helpers may have put credentials into one.
  const hidden = said.replace(/\/\/[^/@\s]*@/gu, "//");
  const lines = cleanLines(hidden.trim(), 6).filter((line) => line !== "");
  return new Problem("DRWN_GIT_FAILED", `git ${command} failed${why === "" ? "" : `: ${why}`}`, { details: lines });
}

/** Runs git with settings besides the usual ones; undefined: it failed. */
type TryGit = (
  args: readonly string[],
  more?: { input?: string; settings?: readonly string[] },
) => Promise<string | undefined>;

/**
 * Whether drwn must keep the user's credential helper from the repository's host, which a project may have named: the
 * helper answers for every host, even one that cannot exist, and the user's settings don't name it for this one.
 */
async function isHelperForAll(repository: URL, tryGit: TryGit): Promise<boolean> {
  const input = `protocol=https\nhost=${randomUUID()}.invalid\n\n`;
  const answer = await tryGit(["credential", "fill"], { input, settings: ["credential.interactive=false"] });
  if (answer === undefined || !/^password=/mu.test(answer)) return false;
  const keys = (await tryGit(["config", "--name-only", "--get-regexp", KEY_OF_HOST])) ?? "";
  const addresses = keys.split("\n").map((key) => key.slice("credential.".length, -".helper".length));
  return !isBelow(repository, addresses);
}

const KEY_OF_HOST = "^credential\\..+\\.helper$";

/**
 * libcurl gives the `default` of ~/.netrc to any host that asks, whatever git's settings say. It prefers an entry for
 * the host that comes before.
 */
function refuseDefaultLogin(repository: URL, home: string | undefined): void {
  const file = home === undefined ? undefined : path.join(home, ".netrc");
  const text = file === undefined ? undefined : readIfThere(file)?.toString("utf8").toLowerCase();
  const words = (text ?? "").replaceAll(/^\s*#.*$/gmu, "").split(/\s+/u);
  const end = words.findIndex((word, at) => word === "default" && !TAKES_A_WORD.has(words[at - 1] ?? ""));
  if (end < 0) return;
  const host = repository.hostname;
  const own = words.findIndex((word, at) => word === "machine" && words[at + 1] === host && words[at + 2] === "login");
  if (own >= 0 && own < end) return;
  throw new Problem("DRWN_URL_REFUSED", `\`default\` in ~/.netrc would give your password to ${host}`, {
    details: [`asked for: ${repository.href}`],
    hint: `take \`default\` out of ~/.netrc, or put before it: machine ${host} login <name> password <password>`,
  });
}

const TAKES_A_WORD = new Set(["machine", "login", "password", "account", "macdef"]);
