import fs from "node:fs";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import type { ProjectIdentity } from "../../contract/ledger.ts";
import { GLOBAL_KEY, isManagedHome } from "../../contract/scopes.ts";
import { readIfThere } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { findProjectKey } from "../../trust/project-key.ts";
import { isInside, isSamePath } from "../../wiring/file-location.ts";
import { ancestors, findProjectRoot, gitCommonDirOf, identifyProject, projectFiles } from "../identity.ts";

/** What a command is about. */
interface LocatedRoot {
  /** The folder with `.agents/drwn/`. */
  root: string;
  /** True: what holds in every folder, for this user or for all. */
  isGlobal: boolean;
}

export interface LocatedProject extends LocatedRoot {
  identity: ProjectIdentity;
  /** Names ledger and state below DRWN_HOME. */
  key: string;
}

type Whence = Pick<Host, "cwd" | "drwnHome" | "scope">;

/** Doesn't look at what this machine knows about the project. */
export function locateRoot(host: Whence): LocatedRoot {
  const { drwnHome: home } = host;
  if (host.scope !== "system" && isManagedHome(home)) {
    throw new Problem("DRWN_HOME_INVALID", `DRWN_HOME is where root keeps what holds for every user: ${home}`, {
      hint: "unset DRWN_HOME, and give --system",
    });
  }
  const root = host.scope === undefined ? requireProject(host) : globalRoot(home);
  return { root, isGlobal: root === globalRoot(home) };
}

/** The project around the working folder, or what holds in every folder. */
export function locateProject(host: Whence): LocatedProject {
  const { drwnHome: home } = host;
  const { root, isGlobal } = locateRoot(host);
  // This folder is never moved and isn't in a repository: its consents hold wherever it is.
  const nowhere = { gitCommonDir: null, gitPath: null, inode: null };
  const identity = isGlobal ? { path: layout.global(home), ...nowhere } : identifyProject(root);
  return { root, identity, key: findProjectKey(home, identity), isGlobal };
}

/** The host for every folder, if anything was asked for or consented to there. */
export function findGlobal<H extends Host>(host: H): H | undefined {
  return isAskedForEverywhere(host) ? { ...host, scope: "global" } : undefined;
}

function isAskedForEverywhere({ drwnHome: home }: Pick<Host, "drwnHome">): boolean {
  const files = [layout.ledger(home, GLOBAL_KEY), projectFiles.config(layout.global(home)), layout.globalRecord(home)];
  return files.some((file) => fs.existsSync(file));
}

/** The same for a command about a project, which also says what holds in every folder. */
export function findGlobalBeside<H extends Host>(host: H): H | undefined {
  return locateRoot(host).isGlobal ? undefined : findGlobal(host);
}

function globalRoot(home: string): string {
  const folder = layout.global(fs.existsSync(home) ? fs.realpathSync(home) : home);
  return fs.existsSync(folder) ? fs.realpathSync(folder) : folder;
}

/** Whether a command here, without a flag for every folder, is about a project. */
export function hasProject(host: Pick<Host, "cwd" | "drwnHome">): boolean {
  return findRoot(host) !== undefined;
}

function requireProject(host: Pick<Host, "cwd" | "drwnHome">): string {
  const root = findRoot(host);
  if (root !== undefined) return root;
  throw new Problem("DRWN_PROJECT_MISSING", `there is no drwn project in ${host.cwd} or above it`, {
    details: ["with --global, a command is about every folder of yours instead"],
    hint: isOwnHome(host.cwd, host.drwnHome) ? NOT_AT_HOME : "drwn init",
    // Somebody whose guards hold in every folder asks about these.
    ...(isAskedForEverywhere(host) ? { meant: { typed: "", word: "--global" } } : {}),
  });
}

/** The machine's settings are where those of a project in the home folder would be. */
export const NOT_AT_HOME = "run `drwn init` in the folder of a project; for every folder: drwn add <card> --global";

/**
 * The nearest folder that has a project's files, or for which the launcher finds a consent: a worktree needn't have the
 * files, and somebody may have removed them.
 */
function findRoot({ cwd, drwnHome }: Pick<Host, "cwd" | "drwnHome">): string | undefined {
  if (!fs.existsSync(cwd)) return undefined;
  const real = fs.realpathSync(cwd);
  const isFit = (root: string) => !isOwnHome(root, drwnHome);
  const withFiles = [findProjectRoot(real)].filter((root) => root !== undefined).filter(isFit)[0];
  const [nearest] = findEnclosing(drwnHome, real).filter(({ folder }) => isFit(folder));
  if (nearest === undefined) return withFiles;
  // A project around the main worktree isn't around this folder.
  const marked = isInside(nearest.folder, real) ? nearest.folder : real;
  return withFiles !== undefined && (isInside(marked, withFiles) || marked !== nearest.folder) ? withFiles : marked;
}

/** The machine's settings are where those of a project in the home would be. A link makes no repository the home. */
function isOwnHome(root: string, drwnHome: string): boolean {
  const around = path.resolve(drwnHome, "../..");
  return projectFiles.folder(around) === path.resolve(drwnHome) && isSamePath(root, around);
}

/** A project that the launcher finds for a session. */
export interface FoundProject {
  key: string;
  /** Its folder, as a session in a worktree sees it. */
  folder: string;
}

/**
 * The projects whose consents count in this folder, the nearest first. The launcher looks in the same places: at the
 * path of each folder above, and at its places in a repository and in its main worktree. Their files needn't be there.
 */
export function findEnclosing(home: string, from: string): FoundProject[] {
  const keyAt = (folder: string): string => {
    try {
      return readIfThere(layout.marker(home, folder))?.toString().trim() ?? "";
    } catch (error) {
      if (isProblem(error)) return "";
      throw error;
    }
  };
  const found: FoundProject[] = [];
  const look = (place: string, folder: string): void => {
    const key = keyAt(place);
    if (key !== "" && key !== GLOBAL_KEY) found.push({ key, folder });
  };
  for (const folder of ancestors(from)) look(folder, folder);
  for (const top of ancestors(from)) {
    const common = gitCommonDirOf(top);
    if (common === undefined) continue;
    const main = path.basename(common) === ".git" ? path.dirname(common) : undefined;
    for (const folder of ancestors(from)) {
      if (folder.length < top.length) break;
      const inside = path.relative(top, folder);
      look(path.join(common, inside), folder);
      if (main !== undefined && main !== top) look(path.join(main, inside), folder);
    }
    if (main !== undefined && main !== top) for (const folder of ancestors(path.dirname(main))) look(folder, folder);
  }
  return found.sort((one, other) => other.folder.length - one.folder.length);
}
