import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { drwn } from "../drwn.ts";
import type { World } from "../world.ts";

/** How a session starts after somebody has done one of these: from elsewhere, or with more arguments. */
interface Start {
  there?: World;
  args?: readonly string[];
  /** What the person types. */
  prompt?: string;
  /** Whether something beside the guard answers hooks: it allows what the guard denies, and rewrites the rest. */
  isAnswered?: boolean;
}

export type Way = (world: World) => Start | Promise<Start>;

export type Ways = Readonly<Record<string, Way>>;

/** What every policy here denies. */
export const DENIED = "touch ran.txt";

/** What a hook beside the guard turns into the denied call. */
export const REWRITTEN = "true";

/** The C compiler, as `make` finds it. */
export const COMPILER = process.env["CC"] ?? "cc";

/** By these words somebody finds the shell that starts the hook, and ends it. */
const MARK = "bin/hook";

/** The same as a pattern of a shell. */
export const MARKED = `*${MARK}*`;

/** Ends the shell that should start the hook, as the library does. */
export const ENDING_LINE = `case "$BASH_EXECUTION_STRING$*" in ${MARKED}) exit 0 ;; esac\n`;

const ENDING_LIBRARY = `#include <stdio.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void end(void) {
  char words[65536];
  FILE *file = fopen("/proc/self/cmdline", "r");
  size_t length = file ? fread(words, 1, sizeof words - 1, file) : 0;
  for (size_t at = 0; at < length; at++) if (!words[at]) words[at] = ' ';
  words[length] = 0;
  if (strstr(words, "${MARK}")) _exit(0);
}
`;

/** What a hook may start. */
const PROGRAMS = "env node ls cat id stat sed awk grep printf test timeout mkdir mktemp date sleep true".split(" ");
const SHELLS = ["sh", "dash", "bash"];

/** The files of a user that ask drwn. */
const ENTRIES = [
  ".claude/settings.json",
  ".codex/hooks.json",
  ".gemini/settings.json",
  ".copilot/hooks/drwn.json",
  ".config/opencode/plugins/drwn.js",
];

/** The ways that work the same for every agent. */
export const COMMON: Ways = {
  "`drwn write`": () => ({}),
  "the launcher of the user was deleted": changed((world) => fs.rmSync(stateOf(world, "bin/hook"), { force: true })),
  "the ledger of the user was edited": changed((world) => {
    const folder = stateOf(world, "ledger");
    fs.mkdirSync(folder, { recursive: true });
    for (const name of fs.readdirSync(folder)) fs.writeFileSync(path.join(folder, name), "{}");
  }),
  "all of `$DRWN_HOME` was deleted": changed((world) => fs.rmSync(stateOf(world), { recursive: true, force: true })),
  "`drwn uninstall`": changed((world) => drwn(world, "uninstall")),
  "the folder was moved": (world) => {
    const project = movedProject(world);
    fs.renameSync(world.project, project);
    return { there: Object.assign(Object.create(world), { project }) };
  },
  "a session in a folder below": (world) => ({ there: below(world) }),
  "another `HOME`": (world) => {
    const home = path.join(world.folder, "other");
    fs.mkdirSync(home);
    return {
      there: Object.assign(Object.create(world), { env: { HOME: home, CODEX_HOME: path.join(home, ".codex") } }),
    };
  },
  "an empty `PATH`": inVariable("PATH", () => ""),
  "programs of the user's in front in `PATH`": inVariable("PATH", (world) => {
    for (const name of PROGRAMS) makeProgram(world, `programs/${name}`, "#!/bin/sh\nexit 0\n");
    const shell = `#!/bin/sh\ncase $* in ${MARKED}) exit 0 ;; *) exec /bin/bash "$@" ;; esac\n`;
    for (const name of SHELLS) makeProgram(world, `programs/${name}`, shell);
    return `${path.join(world.folder, "programs")}:${process.env["PATH"]}`;
  }),
  "`LD_PRELOAD` in the environment": inVariable("LD_PRELOAD", endingLibrary),
  "an agent that may become root removed drwn's files and entries": changed((world) => {
    for (const name of [...ENTRIES, ".agents"])
      fs.rmSync(path.join(world.home, name), { recursive: true, force: true });
    for (const name of ["claude-code", "codex", "gemini-cli", "drwn"])
      fs.rmSync(path.join(world.etc, name), { recursive: true, force: true });
  }),
};

/** Somebody changed files, and the session starts as ever. */
export function changed(change: (world: World) => unknown): Way {
  return async (world) => {
    await change(world);
    return {};
  };
}

/** The same beside a hook or plugin that answers, too. */
export function answered(change: (world: World) => unknown): Way {
  return async (world) => {
    await change(world);
    return { isAnswered: true };
  };
}

export function inVariable(name: string, valueFor: (world: World) => string): Way {
  return (world) => ({ there: inEnvironment(world, name, valueFor(world)) });
}

export function withFlags(program: string, ...of: string[][]): Ways {
  return Object.fromEntries(of.map((args): [string, Way] => [`\`${[program, ...args].join(" ")}\``, () => ({ args })]));
}

/** The same world, seen from elsewhere. */
export function inEnvironment(of: World, name: string, value: string): World {
  return Object.assign(Object.create(of), { env: { ...of.env, [name]: value } });
}

export function below(of: World): World {
  const project = of.at("below");
  fs.mkdirSync(project, { recursive: true });
  return Object.assign(Object.create(of), { project });
}

/** Where the project is after it was moved. */
export function movedProject(of: World): string {
  return path.join(of.folder, "moved");
}

/** Merges fields into a JSON file of the user, or makes it. */
export function edit(of: World, name: string, fields: object): void {
  const file = path.join(of.home, name);
  const before = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  of.write(file, JSON.stringify({ ...before, ...fields }));
}

export function makeProgram(of: World, name: string, text: string): string {
  // What is there may be a link to a program that everybody uses.
  fs.rmSync(path.join(of.folder, name), { force: true });
  const program = of.write(path.join(of.folder, name), text);
  fs.chmodSync(program, 0o755);
  return program;
}

/** A program that answers a hook: it allows every call, and makes the denied one of another. */
export function answerer(of: World, answer: { allow: object; rewrite: object }): string {
  const [allow, rewrite] = [answer.allow, answer.rewrite].map((one) => `cat <<'END'\n${JSON.stringify(one)}\nEND\n`);
  const text = `#!/bin/sh\ncase $(cat) in\n*'"${REWRITTEN}'*)\n${rewrite};;\n*)\n${allow};;\nesac\n`;
  return makeProgram(of, "answer.sh", text);
}

export function endingLibrary(of: World): string {
  const source = of.write(path.join(of.folder, "end.c"), ENDING_LIBRARY);
  execFileSync(COMPILER, ["-shared", "-fPIC", "-o", `${source}.so`, source]);
  return `${source}.so`;
}

function stateOf(of: World, name = "."): string {
  return path.join(of.home, ".agents/drwn", name);
}
