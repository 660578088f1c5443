import fs from "node:fs";
import path from "node:path";
import { targetsOf } from "../agents/targets.ts";
import { offsetOfPath, positionAt } from "../kernel/format/edit-json.ts";
import { readBounded } from "../kernel/format/read.ts";
import { type Finding, isProblem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { AgentId } from "../policy/event.ts";
import { isObject, openJsonFile, valueAt } from "../wiring/json-file.ts";
import type { VariableFile } from "../wiring/target.ts";

interface NamedVariable {
  name: string;
  line: number;
}

/** Nobody starts a session in a folder that comes after so many others. */
const MOST_FOLDERS = 20_000;

interface SearchFolders {
  root: string;
  /** A session that starts in this folder also reads what is in the folders between it and the root. */
  cwd: string;
  /** Whether to look in every folder below the root, since a session may start in each: that takes its time. */
  isEverywhere: boolean;
}

/**
 * Variables in the repository's files with which these agents start hooks, and which decide what a hook does before its
 * first line: no hook can undo that. A session that starts in a folder below reads that folder's files: `checkBelow`
 * looks at each such folder that has a folder of an agent.
 */
export function checkVariables(
  { root, cwd, isEverywhere }: SearchFolders,
  runtimes: readonly AgentId[],
  checkBelow: (folder: string) => Finding[] = () => [],
): Finding[] {
  const sources = targetsOf(runtimes).flatMap(({ variables }) => variables ?? []);
  const isOne = (file: string) => sources.some((source) => source.file.test(file));
  const enters = isEverywhere ? () => true : onTheWay(path.relative(root, cwd));
  const { files, starts, isWhole } = findFiles(root, { isOne, enters });
  const above = filesAbove(root, sources);
  const findings = [...files, ...above].flatMap((file) =>
    sources
      .filter((source) => source.file.test(file))
      .flatMap((source) => [...checkFile(path.join(root, file), source), ...checkSwitch({ root, file }, source)]),
  );
  findings.push(...starts.flatMap((folder) => checkBelow(path.join(root, folder))));
  return isWhole || sources.length === 0 ? findings : [...findings, notLookedAt(root)];
}

/** Whoever can push to the repository decides what is in those files. */
function filesAbove(root: string, sources: readonly VariableFile[]): string[] {
  const own = sources.flatMap(({ above }) => above ?? []);
  if (own.length === 0) return [];
  const files: string[] = [];
  for (let at = root; !fs.existsSync(path.join(at, ".git")) && at !== path.dirname(at); ) {
    at = path.dirname(at);
    files.push(...[...own, ".env"].map((name) => path.relative(root, path.join(at, name))));
  }
  return files.filter((file) => fs.existsSync(path.join(root, file)));
}

function checkFile(file: string, { title, minimal = [] }: VariableFile): Finding[] {
  return readVariables(file)
    .filter(({ name }) => decidesHooks(name) || minimal.includes(name))
    .map(({ name, line }) => ({
      code: "hooks-influenced",
      severity: "error" as const,
      subject: `${file}:${line}`,
      message: minimal.includes(name)
        ? `${title} starts without any hooks because of ${clean(name, 100)}`
        : `${title} starts hooks with ${clean(name, 100)}, which decides what a shell or a program does before drwn is asked: this file decides whether a guard works here`,
      hint: `take ${clean(name, 100)} out of line ${line} of ${file}`,
    }));
}

/** The checks of the agent's other settings cover the root. */
function checkSwitch({ root, file }: { root: string; file: string }, { title, findSwitch }: VariableFile): Finding[] {
  const folder = path.dirname(path.dirname(file));
  const found = folder === "." || folder.startsWith("..") ? null : (findSwitch?.(path.join(root, file)) ?? null);
  if (found === null) return [];
  const subject = path.join(root, file);
  const message = `in a session of ${title} that starts in ${clean(folder, 500)}, \`${found}\` keeps drwn's hook from being asked`;
  return [{ code: "hooks-disabled", severity: "error", subject, message, hint: `take ${found} out of ${subject}` }];
}

function readVariables(file: string): NamedVariable[] {
  if (file.endsWith(".json")) return readSettings(file);
  return file.endsWith(".toml") ? [] : readLines(file);
}

function readSettings(settings: string): NamedVariable[] {
  try {
    const file = openJsonFile({ root: path.parse(settings).root, file: settings });
    const env = file.before === null ? undefined : valueAt(file.text, ["env"]);
    if (!isObject(env)) return [];
    return Object.keys(env).map((name) => ({
      name,
      line: positionAt(file.text, offsetOfPath(file.text, ["env", name])).line,
    }));
  } catch (error) {
    if (isProblem(error)) return unreadLines(settings);
    throw error;
  }
}

/** A file that drwn can't read as settings may be readable to the agent: every quoted word counts, in any spelling. */
function unreadLines(file: string): NamedVariable[] {
  return textOf(file)
    .split("\n")
    .flatMap((text, at) =>
      [...text.matchAll(/"([^"]+)"\s*:/gu)].map(([, name = ""]) => ({ name: plainOf(name), line: at + 1 })),
    );
}

function plainOf(name: string): string {
  return name.replace(/\\u([0-9a-f]{4})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Reads them as dotenv does, except that a line inside a quoted value counts, too. */
function readLines(file: string): NamedVariable[] {
  return textOf(file)
    .split(/\r\n?|\n/u)
    .flatMap((text, at) => {
      const name = /^\s*(?:export\s+)?([^\s=:#]+)\s*[=:]/u.exec(text)?.[1];
      return name === undefined ? [] : [{ name, line: at + 1 }];
    });
}

function textOf(file: string): string {
  try {
    return (
      readBounded(file)
        ?.toString("utf8")
        .replace(/^\uFEFF/u, "") ?? ""
    );
  } catch (error) {
    // Too large, or not a regular file.
    if (isProblem(error) || error instanceof Error) return "";
    throw error;
  }
}

/** Folders in which agents look for settings and other files of their own. */
const AGENT_FOLDERS = new Set([
  ".claude",
  ".codex",
  ".gemini",
  ".github",
  ".kilo",
  ".kilocode",
  ".opencode",
  ".pi",
  ".qwen",
]);

interface Found {
  files: string[];
  /** Folders below that have something for an agent, in which a session may be started. */
  starts: string[];
  isWhole: boolean;
}

/** Enters the folders that lead to this one, and in these what belongs to agents. */
function onTheWay(to: string): (folder: string) => boolean {
  const leads = (folder: string) => folder === "." || `${to}/`.startsWith(`${folder}/`);
  return (folder) => leads(folder) || (AGENT_FOLDERS.has(path.basename(folder)) && leads(path.dirname(folder)));
}

interface Search {
  isOne: (file: string) => boolean;
  enters: (folder: string) => boolean;
}

/** All relative to the root, the nearest first. */
function findFiles(root: string, { isOne, enters }: Search): Found {
  const files: string[] = [];
  const starts = new Set<string>();
  const folders = [""];
  for (let at = 0; at < folders.length; at++) {
    if (at >= MOST_FOLDERS) return { files, starts: [...starts], isWhole: false };
    const folder = folders[at] ?? "";
    for (const entry of entriesOf(path.join(root, folder))) {
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (folder !== "" && AGENT_FOLDERS.has(entry.name)) starts.add(folder);
      if (entry.isDirectory()) {
        if (entry.name !== ".git" && entry.name !== "node_modules" && enters(name)) folders.push(name);
      } else if (isOne(name)) files.push(name);
      // A link may lead to a folder of settings.
      if (entry.isSymbolicLink()) files.push(...linkedFiles(root, name, isOne));
    }
  }
  return { files, starts: [...starts], isWhole: true };
}

function linkedFiles(root: string, link: string, isOne: (file: string) => boolean): string[] {
  return ["settings.json", "settings.local.json", ".env"]
    .map((name) => `${link}/${name}`)
    .filter((file) => isOne(file) && fs.existsSync(path.join(root, file)));
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    // drwn can't list this folder: no session starts there, either.
    return [];
  }
}

function notLookedAt(root: string): Finding {
  return {
    code: "variables-not-looked-at",
    severity: "warning",
    subject: root,
    message: `drwn checked only the first ${MOST_FOLDERS} folders: settings in the others may affect hooks`,
    hint: null,
  };
}

/**
 * Whether a variable can decide what a hook does before its first line: what the system loads, what a shell reads, runs
 * or prints first, or where it finds its programs. Every name that a loader, a C library, a shell or Node heeds counts,
 * whole families where there are some, since each release adds names; except those that the launcher takes away or that
 * were found to change nothing.
 */
export function decidesHooks(name: string): boolean {
  return isHeeded(name) && !isWithoutEffect(name);
}

const FAMILIES =
  /^(?:LD|DYLD|GLIBC|GCONV|MALLOC|RESOLV|RES|BASH|ZSH|KSH|MKSH|ASH|YASH|DRWN|NODE|NAPI|UV|OPENSSL|SSL|ICU|LC)(?:_|$|\d)|^PS\d?$|^(?:BASH|__BASH_FUNC)|^(?:SHELL|HIST|TMP|ZDOT)[A-Z]*$/u;

const NAMES = new Set(
  `ARGV0 CDPATH COMSPEC DIRSTACK ENV EXECIGNORE FCEDIT FIGNORE FPATH FUNCNEST GETCONF_DIR GLOBIGNORE HOME HOSTALIASES IFS IGNOREEOF
  INPUTRC KEYTIMEOUT LANG LANGUAGE LOCALDOMAIN LOCPATH LOGNAME MODULE_PATH NIS_PATH NLSPATH NULLCMD OLDPWD OPTERR OPTIND PATH POSIXLY_CORRECT
  PROMPT PROMPT4 PROMPT_COMMAND PWD READNULLCMD SSLKEYLOGFILE STTY TIMEFMT TMOUT TZ TZDIR USER WATCH_REPORT_DEPENDENCIES`.split(
    /\s+/u,
  ),
);

function isHeeded(name: string): boolean {
  return FAMILIES.test(name) || NAMES.has(name);
}

/** The variables of Node and its libraries that the launcher takes away before it starts Node. */
export const UNSET_BY_LAUNCHER = new Set(
  `NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_USE_SYSTEM_CA NODE_USE_ENV_PROXY NODE_CHANNEL_FD
  NODE_CHANNEL_SERIALIZATION_MODE NODE_UNIQUE_ID NODE_TEST_CONTEXT NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_COMPILE_CACHE_PORTABLE
  NODE_DISABLE_COMPILE_CACHE NODE_DEBUG NODE_DEBUG_NATIVE NODE_ICU_DATA NODE_REDIRECT_WARNINGS NODE_PENDING_DEPRECATION
  NODE_PENDING_PIPE_INSTANCES NODE_NO_WARNINGS NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_REPL_EXTERNAL_MODULE
  NODE_REPL_HISTORY NODE_SKIP_PLATFORM_CHECK WATCH_REPORT_DEPENDENCIES OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES
  SSLKEYLOGFILE UV_THREADPOOL_SIZE UV_USE_IO_URING`.split(/\s+/u),
);

/**
 * Languages, time zones and NODE_ENV change nothing in what the hook says, the hook doesn't read drwn's own variables,
 * and shells read ENV only when they are interactive.
 */
const WITHOUT_EFFECT = /^(?:ENV|LANG|LANGUAGE|LC_[A-Z]+|TZ|USER|LOGNAME|NODE_ENV|DRWN_[A-Z_]+|TMPDIR|TMP|SHLVL)$/u;

function isWithoutEffect(name: string): boolean {
  return UNSET_BY_LAUNCHER.has(name) || WITHOUT_EFFECT.test(name);
}
