import fs from "node:fs";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { listFolder } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import { readLedger } from "../../trust/ledger-file.ts";
import { listMarkers } from "../../trust/project-key.ts";
import { readWriteRecord, type WriteRecord } from "../../wiring/write-record.ts";
import { worktreeFoldersOf } from "../identity.ts";
import { type FoundProject, findEnclosing } from "./locate-project.ts";
import { lookAtProject, type OpenProject } from "./open-project.ts";

/** A project about which this machine has something. */
export interface KnownProject {
  key: string;
  /** Every folder in which it may be, as far as drwn knows. */
  folders: string[];
  /** The folders that exist. */
  present: string[];
  /** undefined: drwn wrote nothing, or can't read the record of it. */
  written: WriteRecord | undefined;
}

/** Every project that a ledger, a record of what was written, or a marker names, sorted by key. */
export function listKnownProjects(home: string): KnownProject[] {
  const markers = listMarkers(home);
  const ledgers = listFolder(layout.ledgers(home))
    .filter((name) => KEY_FILE.test(name))
    .map((name) => name.slice(0, -".json".length));
  const states = listFolder(layout.projects(home)).filter((name) => KEY.test(name));
  const keys = new Set([...ledgers, ...states, ...markers.map(({ key }) => key)]);
  return [...keys].sort().map((key) => describeProject(home, key, markers));
}

const KEY = /^[0-9a-f]{64}$/u;
const KEY_FILE = /^[0-9a-f]{64}\.json$/u;

function describeProject(home: string, key: string, markers: readonly { key: string; folder: string }[]): KnownProject {
  const ledger = unlessDamaged(() => readLedger(home, key));
  const written = unlessDamaged(() => readWriteRecord(home, key));
  const folders = new Set([
    ...(ledger === undefined ? [] : worktreeFoldersOf(ledger.project)),
    ...(written?.folder === undefined ? [] : [written.folder]),
    ...markers.filter((marker) => marker.key === key).map(({ folder }) => folder),
  ]);
  // A repository's place in its git folder also has a marker, but isn't a folder of a project.
  const own = [...folders].filter((folder) => !folder.split(path.sep).includes(".git")).sort();
  return { key, folders: own, present: own.filter((folder) => fs.existsSync(folder)), written };
}

function unlessDamaged<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}

/** A project that the launcher knows. */
interface MarkedProject extends FoundProject {
  /** null: nobody can tell what it asks for; its consents count all the same. */
  project: OpenProject | null;
}

/** The projects beside this one whose consents also count in the working folder, the nearest first. */
export function enclosingProjects(host: Host, { key, isGlobal }: OpenProject): MarkedProject[] {
  if (isGlobal) return [];
  const { scope: _, ...own } = host;
  const found = findEnclosing(host.drwnHome, fs.realpathSync(host.cwd)).filter((one) => one.key !== key);
  const distinct = found.filter((one, at) => found.findIndex((other) => other.key === one.key) === at);
  return distinct.map((one) => ({ ...one, project: openIfSound({ ...own, cwd: one.folder }, one.key) }));
}

function openIfSound(host: Host, key: string): OpenProject | null {
  try {
    const project = lookAtProject(host);
    return project.key === key ? project : null;
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}
