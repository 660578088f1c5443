import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import { MANAGED_HOMES } from "../../contract/scopes.ts";
import { AGENT_MARKERS } from "../../kernel/agent-session.ts";
import { lstatIfThere, shareBelow } from "../../kernel/files.ts";
import { type Environment, type Host, keepOnly } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import {
  findNotOwnedByRootBelow,
  findNotOwnedByRootOrLinked,
  type NotOwnedByRoot,
} from "../../kernel/root-ownership.ts";
import { clean, shellQuote } from "../../kernel/text.ts";

import { findGlobal } from "./locate-project.ts";

interface ManagedRequest {
  /** True: it changes nothing. */
  isReader: boolean;
  /** The command as root would type it. */
  command: string;
  /** The Node that shall start the hook; undefined: the same as before. */
  node: string | undefined;
}

/**
 * The host for `--system`: nothing in a user's home, variables or folders affects it. Refuses a
 * place that others than root could change, and anybody else where root is needed.
 */
export function managedHost(host: Host, { isReader, command, node }: ManagedRequest): Host {
  const home = MANAGED_HOMES[process.platform];
  if (home === undefined) throw noManagedHome();
  if (!isReader && process.getuid?.() !== 0) {
    throw new Problem("DRWN_ROOT_NEEDED", `only root changes what holds for every user, in ${home}`, {
      hint: `sudo ${command}`,
    });
  }
  refuse(home, findNotOwnedByRootOrLinked(home) ?? findNotOwnedByRootBelow(home));
  const env = ownEnvironment(host.env, home);
  keepOnly(env);
  process.umask(0o022);
  shareBelow(home);
  if (!isReader) for (const folder of [home, layout.ledgers(home), layout.store(home)]) openToAll(folder);
  return {
    ...host,
    isAtTerminal: host.isAtTerminal === true,
    scope: "system",
    home,
    drwnHome: home,
    notes: path.join(homeOfCaller(host), ".agents", "drwn", "system"),
    env,
    nodePath: node ?? recordedNode(home) ?? host.nodePath,
  };
}

/** What holds in a folder that is in no project: in every folder of its user, or for every user. */
export function findWide(host: Host): Host | undefined {
  const own = findGlobal(host);
  const home = MANAGED_HOMES[process.platform];
  if (own !== undefined || home === undefined || !findGlobal({ ...host, drwnHome: home })) return own;
  return managedHost(host, { isReader: true, command: "", node: undefined });
}

/** The home that the hook finds. For root it is root's own: `sudo` may leave the user's in `HOME`. */
function homeOfCaller({ home }: Host): string {
  if (process.getuid?.() !== 0) return home;
  try {
    return os.userInfo().homedir;
  } catch {
    // Root is missing from the list of users.
    return "/root";
  }
}

/** The hook runs as its caller, who must be able to read the folder. */
function openToAll(folder: string): void {
  fs.mkdirSync(folder, { recursive: true });
  fs.chmodSync(folder, 0o755);
}

/** Where to find the system's programs, the terminal's settings, and what agents say about themselves. */
function ownEnvironment(env: Environment, home: string): Environment {
  const kept = ["TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LANG", "LC_ALL", "TZ", ...AGENT_MARKERS];
  const own = kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    ...Object.fromEntries(own),
    HOME: home,
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  };
}

function noManagedHome(): Problem {
  return new Problem("DRWN_PLATFORM_UNSUPPORTED", "drwn knows no place of root's on this operating system");
}

function refuse(home: string, found: NotOwnedByRoot | null): void {
  if (found === null) return;
  const [file, place] = [shellQuote(found.file), shellQuote(home)];
  const isLink = lstatIfThere(found.file)?.isSymbolicLink() === true;
  throw new Problem("DRWN_MANAGED_UNSAFE", `${clean(found.file, 1000)} ${found.fault}`, {
    details: [`what holds for every user is in ${home}, which only root may be able to change`],
    // A link may lead to all of root's consents: if a person removed it, the next `write` would take those guards out.
    hint: isLink
      ? "look at who made it and at what it leads to, and put the original in its place"
      : `look at who made it, and remove it, or: sudo chown -h root ${file} && sudo chmod go-w ${file} && sudo chmod -R go-w ${place}`,
  });
}

/** The Node that the launcher starts: the one that root chose, or the one that ran the user's last `drwn write`. */
export function recordedNode(home: string): string | undefined {
  const launcher = layout.launcher(home);
  if (!fs.existsSync(launcher)) return undefined;
  return /^node='((?:[^'\n]|'\\'')+)'$/mu.exec(fs.readFileSync(launcher, "utf8"))?.[1]?.replaceAll("'\\''", "'");
}
