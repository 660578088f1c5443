import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { IndexedHook } from "../../card/hooks/hook-index.ts";
import type { SourceFinding } from "../../card/source/inspect.ts";
import type { Host } from "../../kernel/host.ts";
import { packageFile } from "../../kernel/package-file.ts";
import { Problem } from "../../kernel/problem.ts";
import { isProgram } from "../../kernel/program.ts";
import { clean } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";

const TEMPLATE = "templates/card";
const OPTION_TYPES = ".drwn/hook-options.d.ts";
const DEADLINE_MS = 60_000;
const MOST = 20;

interface Checked {
  folder: string;
  hooks: readonly IndexedHook[];
  /** The compiler that a person named; undefined: one on PATH that isn't part of the checked source. */
  tsc: string | undefined;
}

export interface TypeReport {
  findings: SourceFinding[];
  isChecked: boolean;
  /** What a person can do about it; null: there is nothing to do, or no TypeScript. */
  hint: string | null;
}

/**
 * What TypeScript says about the hooks' own files, if the machine has it: it isn't a dependency. A source may be a
 * stranger's, and its folder may contain a compiler, settings that make one write files, or settings for the programs
 * that choose one. So this runs none of the source's programs unless a person names it, doesn't read its tsconfig.json,
 * and lets the compiler work in an unrelated folder.
 */
export function checkTypes(host: Host, { folder, hooks, tsc }: Checked): TypeReport {
  const files = [...new Set(hooks.flatMap((hook) => hook.files))].filter((file) => /\.[cm]?ts$/u.test(file));
  if (files.length === 0) return { findings: [], isChecked: true, hint: null };
  const program = tsc === undefined ? findCompiler(host, folder) : requireCompiler(path.resolve(host.cwd, tsc));
  if (program === undefined) return { findings: [], isChecked: false, hint: hintFor(folder) };
  const own = fs.readdirSync(packageFile(`${TEMPLATE}/dot-drwn`)).filter((name) => name.endsWith(".d.ts"));
  const options = path.join(folder, OPTION_TYPES);
  const all = [
    ...own.map((name) => packageFile(`${TEMPLATE}/dot-drwn/${name}`)),
    ...(fs.existsSync(options) ? [options] : []),
    ...files.map((file) => path.join(folder, file)),
  ];
  const work = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-types-")));
  try {
    return compile(host, { program, work, files: all });
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The first `tsc` on PATH that is outside of the source and the repository around it: one in there comes from their
 * author.
 */
function findCompiler({ env }: Host, folder: string): string | undefined {
  const theirs = [folder, repositoryOf(folder)].map((place) => fs.realpathSync(place));
  return (env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry))
    .map((entry) => path.join(entry, process.platform === "win32" ? "tsc.cmd" : "tsc"))
    .find((file) => {
      if (!isProgram(file)) return false;
      const real = fs.realpathSync(file);
      return [file, real].every((place) => theirs.every((their) => !isWithin(their, place)));
    });
}

function repositoryOf(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, ".git"))) return at;
    if (path.dirname(at) === at) return folder;
  }
}

function isWithin(folder: string, place: string): boolean {
  return place.startsWith(`${folder.replace(/(?<=.)\/$/u, "")}${path.sep}`);
}

function requireCompiler(file: string): string {
  if (isProgram(file)) return file;
  throw new Problem("DRWN_TYPES_UNCHECKED", `${file} isn't a program`, {
    hint: "name the tsc of an installed TypeScript: --tsc node_modules/.bin/tsc",
  });
}

function hintFor(folder: string): string | null {
  const brought = path.join(folder, "node_modules/.bin/tsc");
  if (!fs.existsSync(brought)) return null;
  return `types are not checked: the source has a compiler in its folder, which runs only if you name it: --tsc ${clean(brought, 500)}`;
}

interface Compilation {
  program: string;
  /** An empty folder. */
  work: string;
  files: readonly string[];
}

function compile(host: Host, { program, work, files }: Compilation): TypeReport {
  const template = packageFile(`${TEMPLATE}/tsconfig.json`);
  const { compilerOptions } = JSON.parse(fs.readFileSync(template, "utf8")) as { compilerOptions: object };
  const settings = path.join(work, "tsconfig.json");
  fs.writeFileSync(settings, JSON.stringify({ compilerOptions: { ...compilerOptions, incremental: false }, files }));
  const args = ["-p", settings, "--noEmit", "--pretty", "false"];
  const ended = traceProcess(program, args);
  const options = { cwd: work, env: host.env, encoding: "utf8", timeout: DEADLINE_MS } as const;
  const { status, stdout, error } = spawnSync(program, args, options);
  ended(status);
  const said = (stdout ?? "").split("\n").map((line) => line.trimEnd());
  const findings = findingsIn(said, work);
  if (status === 0 || findings.length > 0) return { findings, isChecked: true, hint: null };
  const why = error?.message ?? said.find((line) => line !== "") ?? `exit status ${status}`;
  return {
    findings: [],
    isChecked: false,
    hint: `types are not checked: ${clean(program, 500)} failed: ${clean(why, 300)}`,
  };
}

const ERROR = /^(?<file>.+)\((?<line>\d+),\d+\): error (?<message>TS\d+: .*)$/u;

function findingsIn(lines: readonly string[], work: string): SourceFinding[] {
  const findings: (SourceFinding & { details: string[] })[] = [];
  for (const line of lines) {
    const found = ERROR.exec(line)?.groups;
    if (found !== undefined) {
      const { file = "", line: at = "", message = "" } = found;
      const place = `${path.resolve(work, file)}:${at}`;
      findings.push({ code: "DRWN_TYPES_INVALID", severity: "warning", message, details: [], path: place });
    } else if (/^\s/u.test(line)) findings.at(-1)?.details.push(line.trim());
  }
  return findings.slice(0, MOST);
}
