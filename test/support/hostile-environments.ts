import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { hookCommand, hookStart } from "../../src/wiring/launcher.ts";
import type { ArmedHome } from "./armed-home.ts";
import { eventOf } from "./hook-calls.ts";
import { withSh } from "./shells.ts";

/** Every word that a shell may take for a command in the launcher or in an entry, and other built-ins of shells. */
const WORDS = [
  ...new Set(
    `${fs.readFileSync(path.resolve(import.meta.dirname, "../../templates/launcher.sh"), "utf8")} [ test builtin declare
    local printf eval exec exit return source . : command unset trap set export readonly shift true false type hash kill
    ${hookCommand({ home: "/h", runtime: "gemini-cli", phase: "prompt.submit", fallbackAnswer: "x" })}`.match(
      /(?<![\w$/.-])[a-z_]{2,}(?![\w/=])|\[|(?<=\s)[.:](?=\s)/gu,
    ) ?? [],
  ),
]
  // Bash cannot read any of these as a function: with errexit it ends before our first line.
  .filter((word) => !/^(?:case|do|done|elif|else|esac|fi|for|function|if|in|then|time|until|while)$/u.test(word))
  .sort();

const functionsFrom = (names: readonly string[], body: string) =>
  Object.fromEntries(names.map((name) => [`BASH_FUNC_${name}%%`, `() {  ${body}\n}`]));

const BASH_OPTIONS =
  "allexport errexit errtrace functrace hashall histexpand ignoreeof keyword noclobber noglob nounset physical pipefail posix privileged verbose xtrace";
const BASH_SHOPTS =
  "compat31 compat40 execfail expand_aliases extdebug extglob failglob gnu_errfmt inherit_errexit lastpipe localvar_unset nocaseglob nocasematch nullglob shift_verbose sourcepath xpg_echo";

export type Environments = Readonly<Record<string, Record<string, string>>>;

/** Environments that a project's settings can make. */
export const HOSTILE: Environments = {
  "every word a function that fails": functionsFrom(WORDS, "return 1"),
  "every word a function that succeeds": functionsFrom(WORDS, ":"),
  "every word a function that ends the shell": functionsFrom(WORDS, "kill -9 $$"),
  "every option of bash that it can be without": { SHELLOPTS: BASH_OPTIONS.replaceAll(" ", ":") },
  "every other option of bash": { BASHOPTS: BASH_SHOPTS.replaceAll(" ", ":") },
  "options and functions that say they are privileged": {
    SHELLOPTS: "privileged:errexit",
    ...functionsFrom(WORDS, "return 1"),
  },
  "a BASH_VERSION of another shell": { BASH_VERSION: "5.2", BASHPID: "1", BASH: "/bin/bash" },
  "limits of bash": { FUNCNEST: "1", TMOUT: "1", BASH_COMPAT: "3.1", EXECIGNORE: "*", GLOBIGNORE: "*", HISTFILE: "/x" },
  "files to read first": {
    ENV: "/nowhere/env",
    ZDOTDIR: "/nowhere",
    FPATH: "/nowhere",
    BASH_LOADABLES_PATH: "/nowhere",
  },
  "other words for words": {
    IFS: "drwnhok/.-",
    OPTIND: "9",
    PS4: "$(kill -9 $$)",
    POSIXLY_CORRECT: "1",
    NULLCMD: "false",
  },
  "a PATH without programs": { PATH: "/nowhere" },
  "no PATH": { PATH: "" },
  "other folders": {
    CDPATH: "/:/tmp",
    OLDPWD: "/",
    PWD: "/usr",
    HOME: "/nowhere",
    TMPDIR: "/nowhere",
    TMPPREFIX: "/nowhere",
  },
  languages: { LC_ALL: "tr_TR.UTF-8", LANG: "ja_JP.SJIS", NLSPATH: "/nowhere/%N", LANGUAGE: "xx", LC_CTYPE: "nowhere" },
  "settings of the C library": { GLIBC_TUNABLES: "glibc.malloc.check=3", MALLOC_CHECK_: "3", MALLOC_PERTURB_: "7" },
  "settings of Node": {
    NODE_OPTIONS: "--require /nowhere.js",
    NODE_PATH: "/nowhere",
    NODE_ICU_DATA: "/nowhere",
    OPENSSL_CONF: "/nowhere",
    SSL_CERT_FILE: "/nowhere",
    SSL_CERT_DIR: "/nowhere",
    UV_THREADPOOL_SIZE: "1",
    NODE_V8_COVERAGE: "/nowhere",
  },
  "the words of the entry": {
    s: "100",
    drwn_end: "100",
    drwn_hook: "/bin/true",
    drwn_dir: "/",
    drwn_home: "/",
    drwn_said: "{}",
  },
  "the words of the launcher": {
    ...{ answered: "100", marker: "", folder: "/", home: "/", key: "0", node: "/bin/true", named: "/usr", called: "" },
    ...{ moved: "/", common: "/", shared: "/", top: "", at: "", start: "/", status: "0", required: "x", phase: "post" },
  },
};

/**
 * Tried separately: there is only one PATH; the C library makes everything else too slow; and with POSIXLY_CORRECT
 * functions end bash, which blocks.
 */
const APART = ["no PATH", "settings of the C library", "other words for words"];
const others = Object.entries(HOSTILE).flatMap(([what, env]) => (APART.includes(what) ? [] : [env]));

/** The same in as few environments as possible. If two of them set a variable, the first wins. */
export const HOSTILE_AT_ONCE: Environments = {
  "all that goes together": Object.assign({}, ...others.reverse()),
  ...Object.fromEntries(Object.entries(HOSTILE).filter(([what]) => APART.includes(what))),
};

interface Caller {
  env: Record<string, string>;
  /** The agent's shell, which gets the line of an entry. Absent: the agent starts the launcher itself. */
  agent?: string;
}

/** A call with this program as /bin/sh, in an environment of exactly these variables and those that the agent sets. */
export function callIn(armed: ArmedHome, program: string, { env, agent }: Caller) {
  const request = { home: armed.home, runtime: "claude-code", phase: "pre" } as const;
  const { program: launcher, args: started } = hookStart(request);
  const start = agent === undefined ? [launcher, ...started] : [agent, "-c", hookCommand(request)];
  // If its input is a socket and no shell is around it, bash believes that somebody logs in, and reads their ~/.bashrc.
  const all = { SHLVL: "2", PATH: process.env["PATH"] ?? "", CLAUDE_PROJECT_DIR: armed.project, ...env };
  const words = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  const [unshare = "", ...args] = [...withSh(program), "/usr/bin/env", "-i", ...words, ...start];
  const input = JSON.stringify(eventOf("pre", armed.project));
  const options = { cwd: armed.project, input, encoding: "utf8", timeout: 40_000, killSignal: "SIGKILL" } as const;
  const { status, stdout, stderr } = spawnSync(unshare, args, options);
  return { status, stdout, stderr, said: stdout.startsWith("{") ? JSON.parse(stdout) : undefined };
}
