import fs from "node:fs";
import path from "node:path";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { isOnPath } from "../kernel/process.ts";
import type { AgentId } from "../policy/event.ts";
import type { AgentContext } from "../wiring/target.ts";
import { readSettingsRecord } from "../wiring/write-record.ts";
import { allPlaces, allTargets, targetsOf } from "./targets.ts";

interface FoundRequest {
  root: string;
  /** What holds in every folder. */
  isGlobal: boolean;
}

/**
 * The agents of this machine, sorted by name: their program is on PATH, or a folder of theirs is there that drwn didn't
 * make. For every user, all that drwn can guard, since nobody knows which agents a machine's users start.
 */
export function findAgents(host: Host, { root, isGlobal }: FoundRequest): AgentId[] {
  if (host.scope === "system")
    return allTargets().flatMap(({ planManaged, runtime }) => (planManaged === undefined ? [] : [runtime]));
  const made = madeFolders(host.drwnHome);
  const found = allPlaces().flatMap(({ runtime, programs, folders }) => {
    const isThere =
      folders({ host, root }).some((folder) => isSign(folder, made)) ||
      programs.some((program) => isOnPath(program, host.env["PATH"] ?? ""));
    return isThere ? [runtime] : [];
  });
  return isGlobal ? targetsOf(found).flatMap(({ isProjectOnly, runtime }) => (isProjectOnly ? [] : [runtime])) : found;
}

/** The folders that drwn made for an entry, as they end, with the file that the entry is in. */
function madeFolders(home: string): { file: string; folder: string }[] {
  try {
    return Object.entries(readSettingsRecord(home).files).flatMap(([file, { folders }]) =>
      folders.map((folder) => ({ file, folder })),
    );
  } catch (error) {
    // `write` says that the record is damaged.
    if (isProblem(error)) return [];
    throw error;
  }
}

/** A folder that drwn made is a sign as soon as anything is in it beside drwn's entry. */
function isSign(folder: string, made: readonly { file: string; folder: string }[]): boolean {
  if (!fs.existsSync(folder)) return false;
  const own = made.filter(({ file, folder: end }) => file.startsWith(folder + path.sep) && folder.endsWith(`/${end}`));
  return own.length === 0 || hasOthers(folder, own);
}

function hasOthers(folder: string, own: readonly { file: string }[]): boolean {
  try {
    return fs.readdirSync(folder).some((name) => {
      const entry = path.join(folder, name);
      return !own.some(({ file }) => file === entry || file.startsWith(entry + path.sep));
    });
  } catch {
    return true;
  }
}

/** The files that hold the agents' entries for every folder; their targets name the same. */
export function userEntryFiles(host: AgentContext["host"]): { runtime: AgentId; file: string }[] {
  return allPlaces().flatMap(({ runtime, entry }) => (entry === undefined ? [] : [{ runtime, file: entry(host) }]));
}
