import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import type { ProjectIdentity } from "../contract/ledger.ts";
import { GLOBAL_KEY } from "../contract/scope.ts";
import { isSystemHome } from "../contract/system-home.ts";
import type { Host } from "../kernel/host.ts";
import { Problem } from "../kernel/problem.ts";
import { projectFiles } from "../project/files.ts";
import { findProjectRoot, identifyProject } from "../project/identity.ts";
import { findProjectKey } from "../trust/project-key.ts";
import { isSamePlace } from "../wiring/place.ts";

/** What a command is about. */
export interface LocatedRoot {
  /** The folder with `.agents/drwn/`. */
  root: string;
  /** It is what holds in every folder, of this user or of all. */
  isGlobal: boolean;
}

export interface Located extends LocatedRoot {
  identity: ProjectIdentity;
  /** Names ledger and state below DRWN_HOME. */
  key: string;
}

type Whence = Pick<Host, "cwd" | "drwnHome" | "scope">;

/** Without a look at what this machine knows of it. */
export function locateRoot(host: Whence): LocatedRoot {
  const { drwnHome: home } = host;
  if (host.scope !== "system" && isSystemHome(home)) {
    throw new Problem("DRWN_HOME_INVALID", `DRWN_HOME is the place of what holds for every user: ${home}`, {
      hint: "unset DRWN_HOME, and give --system",
    });
  }
  const root = host.scope === undefined ? requireProject(host) : globalRoot(home);
  return { root, isGlobal: root === globalRoot(home) };
}

/** The project around the working folder, or what holds in every folder. */
export function locateProject(host: Whence): Located {
  const { drwnHome: home } = host;
  const { root, isGlobal } = locateRoot(host);
  // No folder is moved, and none is in a repository: the consents hold wherever it lies.
  const nowhere = { gitCommonDir: null, gitPath: null, inode: null };
  const identity = isGlobal ? { path: layout.global(home), ...nowhere } : identifyProject(root);
  return { root, identity, key: findProjectKey(home, identity), isGlobal };
}

/** The same, where anything was asked for or consented to for every folder. */
export function findGlobal<H extends Host>(host: H): H | undefined {
  const { drwnHome: home } = host;
  const isThere = [
    layout.ledger(home, GLOBAL_KEY),
    projectFiles.config(layout.global(home)),
    layout.globalPlace(home),
  ].some((file) => fs.existsSync(file));
  return isThere ? { ...host, scope: "global" } : undefined;
}

function globalRoot(home: string): string {
  const folder = layout.global(fs.existsSync(home) ? fs.realpathSync(home) : home);
  return fs.existsSync(folder) ? fs.realpathSync(folder) : folder;
}

function requireProject({ cwd, drwnHome }: Pick<Host, "cwd" | "drwnHome">): string {
  const root = findProjectRoot(cwd);
  if (root !== undefined && !isOwnHome(root, drwnHome)) return root;
  throw new Problem("DRWN_PROJECT_MISSING", `there is no drwn project in ${cwd} or above it`, {
    details: ["with --global, a command is about every folder of yours instead"],
    hint: "drwn init",
  });
}

/** The machine's own settings lie where those of a project in the home would. A link to them makes no home of a repository. */
function isOwnHome(root: string, drwnHome: string): boolean {
  const around = path.resolve(drwnHome, "../..");
  return projectFiles.folder(around) === path.resolve(drwnHome) && isSamePlace(root, around);
}
