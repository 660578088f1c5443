import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import type { ProjectIdentity } from "../contract/ledger.ts";
import { isManagedHome } from "../contract/managed-home.ts";
import { GLOBAL_KEY } from "../contract/scope.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { projectFiles } from "../project/files.ts";
import { findProjectRoot, identifyProject } from "../project/identity.ts";
import { findProjectKey } from "../trust/project-key.ts";
import { isInside, isSamePath } from "../wiring/file-location.ts";
import { findEnclosing } from "./find-enclosing.ts";

/** What a command is about. */
export interface LocatedRoot {
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
  const { drwnHome: home } = host;
  const isThere = [
    layout.ledger(home, GLOBAL_KEY),
    projectFiles.config(layout.global(home)),
    layout.globalPlace(home),
  ].some((file) => fs.existsSync(file));
  return isThere ? { ...host, scope: "global" } : undefined;
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
    hint: "drwn init",
  });
}

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
