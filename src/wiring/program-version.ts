import fs from "node:fs";
import path from "node:path";
import type { Finding } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

interface Program {
  /** The agent's name for people. */
  title: string;
  /** Its name on PATH. */
  program: string;
  /** The npm package that brings it. */
  from: string;
  /** The version with which drwn was tried. */
  tried: string;
}

/**
 * Warns about an agent that is older than the version that drwn was tried with. It doesn't start the agent, which would
 * take seconds, but reads the version of the package around it. It says nothing about an agent that was installed
 * another way.
 */
export function checkProgramVersion(
  { title, program, from, tried }: Program,
  env: Readonly<Record<string, string | undefined>>,
): Finding[] {
  const version = findVersion(program, from, env["PATH"] ?? "");
  if (version === undefined || !isBefore(version, tried)) return [];
  return [
    {
      code: "agent-outdated",
      severity: "warning",
      subject: `${title} ${clean(version, 40)}`,
      message: `drwn was tried with ${title} ${tried}: it is not known whether an older one asks the hook about every call and heeds it`,
      hint: `npm install --global ${from}`,
    },
  ];
}

function findVersion(program: string, from: string, search: string): string | undefined {
  for (const folder of search.split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    try {
      const file = fs.realpathSync(path.join(folder, program));
      return versionAround(path.dirname(file), from);
    } catch {
      // It isn't there, or leads nowhere: the next folder may have it.
    }
  }
  return undefined;
}

/** The version in the nearest package.json of that name. */
function versionAround(folder: string, from: string): string | undefined {
  for (let place = folder; path.dirname(place) !== place; place = path.dirname(place)) {
    const version = versionIn(path.join(place, "package.json"), from);
    if (version !== undefined) return version;
  }
  return undefined;
}

function versionIn(file: string, from: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    if (typeof manifest !== "object" || manifest === null) return undefined;
    const [name, version]: unknown[] = [Reflect.get(manifest, "name"), Reflect.get(manifest, "version")];
    return name === from && typeof version === "string" ? version : undefined;
  } catch {
    // There is none, or it is broken, which others report.
    return undefined;
  }
}

/** Compares the first two numbers, since a third adds no events. Nothing is before a text that isn't a version. */
function isBefore(version: string, limit: string): boolean {
  const [one, other] = [numbersOf(version), numbersOf(limit)];
  if (one === undefined || other === undefined) return false;
  return one[0] === other[0] ? one[1] < other[1] : one[0] < other[0];
}

function numbersOf(version: string): [number, number] | undefined {
  const [, major, minor] = /^(\d{1,6})\.(\d{1,6})\./u.exec(version) ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
}

/** Variables whose code the system's loader runs in every program, before the program's first word. */
const PRELOADS = ["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"];

/**
 * Measured with Claude Code 2.1.329 and Codex 0.169.0: a library named there can end the shell that should start the
 * hook.
 */
export function checkPreloads(place: string, read: (name: string) => unknown): Finding[] {
  return PRELOADS.flatMap((name): Finding[] => {
    const value = read(name);
    if (typeof value !== "string" || value.trim() === "") return [];
    const message = `${name} makes code of ${clean(value, 80)} run in every hook, before drwn is asked`;
    const hint = `take ${name} out of ${place}`;
    return [{ code: "hooks-prefixed", severity: "warning", subject: place, message, hint }];
  });
}
