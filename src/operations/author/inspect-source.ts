import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { findSource, readSources } from "../../authoring/find-source.ts";
import { INDEX_FILE, type IndexedHook, readHookIndex } from "../../card/hooks/hook-index.ts";
import { hooksOf, MANIFEST_FILE, type Manifest, parseManifest } from "../../card/manifest.ts";
import { type DescribedServer, describeServersOf } from "../../card/server.ts";
import { writeIndex, writeOptionTypes } from "../../card/source/build-index.ts";
import type { SourceChange } from "../../card/source/edit-source.ts";
import { inspectSource, type SourceFinding } from "../../card/source/inspect.ts";
import { type CardSource, loadSource, readManifestFile } from "../../card/source/source.ts";
import { lintSource } from "../../check/doctor/lint-source.ts";
import { packageFile } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { isProgram } from "../../kernel/process.ts";
import { clean } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";

interface ListedSource {
  name: string;
  /** null: its card.json cannot be read. */
  version: string | null;
  path: string;
}

/** The sources that this machine knows by name. */
export function listSources(host: Host): ListedSource[] {
  return [...readSources(host)].map(([name, folder]) => ({ name, version: readVersion(folder), path: folder }));
}

interface ShownSource {
  path: string;
  manifest: Manifest;
  /** As the committed index describes them; only the name if the index is missing, or doesn't know the hook. */
  hooks: (IndexedHook | { name: string })[];
  servers: DescribedServer[];
}

/** A source as it is on disk; this compiles and runs nothing. */
export function showSource(host: Host, nameOrPath: string): ShownSource {
  const folder = findSource(host, nameOrPath);
  const source = loadSource(folder);
  const indexed = new Map(readIndexed(source).map((hook) => [hook.name, hook]));
  const { manifest } = source;
  const hooks = hooksOf(manifest).map((name) => indexed.get(name) ?? { name });
  return { path: folder, manifest, hooks, servers: describeServersOf(manifest.servers) };
}

/** The hooks of the committed index; none if there is no index, or it is about other files. */
function readIndexed({ manifest, importable, index }: CardSource): IndexedHook[] {
  if (index === undefined) return [];
  try {
    return readHookIndex(new Map([...importable, [INDEX_FILE, index]]), manifest).hooks;
  } catch (error) {
    if (isProblem(error)) return [];
    throw error;
  }
}

interface SourceReport {
  card: string;
  path: string;
  /** True when nothing keeps the source from being published. */
  ok: boolean;
  hooks: IndexedHook[];
  findings: SourceFinding[];
  /** What this wrote into the source: the index, and the types of options, if they were not current. */
  changes: SourceChange[];
  /** Whether TypeScript was asked about the hooks. */
  typesChecked: boolean;
  /** What a person can do so that TypeScript is asked; null: nothing. */
  typesHint: string | null;
}

/** Compiles and indexes a source, and brings its committed index up to date if nothing is wrong with it. */
export async function doctorSource(
  host: Host,
  nameOrPath: string,
  { tsc }: { tsc?: string | undefined } = {},
): Promise<SourceReport> {
  const folder = findSource(host, nameOrPath);
  host.progress(`checking ${folder}`);
  const { manifest, index, findings } = await inspectSource(folder);
  const ok = findings.every(({ severity }) => severity !== "error");
  const indexed = ok && index !== undefined ? writeIndex(folder, index) : [];
  const changes = [...indexed, ...(ok && index !== undefined ? writeOptionTypes(folder, index) : [])];
  const remaining = indexed.length > 0 ? findings.filter(({ code }) => code !== "DRWN_INDEX_STALE") : [...findings];
  if (index !== undefined) remaining.push(...(await lintSource(loadSource(folder), index.hooks)));
  const types = checkTypes(host, { folder, hooks: index?.hooks ?? [], tsc });
  remaining.push(...types.findings);
  const card = manifest?.name ?? nameOrPath;
  const asked = { typesChecked: types.isChecked, typesHint: types.hint };
  return { card, path: folder, ok, hooks: index?.hooks ?? [], findings: remaining, changes, ...asked };
}

function readVersion(folder: string): string | null {
  try {
    return parseManifest(readManifestFile(folder), { file: path.join(folder, MANIFEST_FILE) }).version;
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}

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

interface TypeReport {
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
function checkTypes(host: Host, { folder, hooks, tsc }: Checked): TypeReport {
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
